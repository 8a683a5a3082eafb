// Part: readable(node): whether the principal may know of a node.
part.reached(@node, true)

// Part: readable(node): whether the principal may see a node.
part.reached(@node, true)

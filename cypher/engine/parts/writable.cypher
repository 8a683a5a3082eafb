// Part: writable(node): whether the principal may write at a node.
part.reached(@node, right.mode = 'read_write')

// Part: opened(node, field): whether the principal may read a field of what the node holds.
part.reached(@node, @field IN right.fields)

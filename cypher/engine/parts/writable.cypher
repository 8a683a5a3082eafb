// Part: writable(node): whether the principal may write at a node: its own graph, or a right to write in whose reach it lies.
// Needs: rights; parameters user_id, principal.
$principal = $user_id OR EXISTS { (@node)<-[way:HAS_CHILD*0..5]-(top:Node)
  WHERE any(right IN rights WHERE right.node_id = top.node_id AND right.depth >= size(way) AND right.mode = 'read_write') }

// Part: opened(node, field): the same, where the right opens a field of what the node holds.
// Needs: rights; parameters user_id, principal, earliest.
$principal = $user_id OR EXISTS { (@node)<-[way:HAS_CHILD*0..5]-(top:Node)
  WHERE all(step IN way WHERE coalesce(endNode(step).placed_at <= $earliest, true))
    AND any(right IN rights WHERE right.node_id = top.node_id AND right.depth >= size(way) AND @field IN right.fields) }

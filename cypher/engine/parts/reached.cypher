// Part: reached(node, also): whether the node is of the principal's own graph, or lies in reach of a right, and has lain there since
//   before the moment that is asked for. `also` is a further condition on that right, which it calls `right`.
// Needs: rights; parameters user_id, principal, earliest.
$principal = $user_id OR EXISTS { (@node)<-[way:HAS_CHILD*0..5]-(top:Node)
  WHERE all(step IN way WHERE coalesce(endNode(step).placed_at <= $earliest, true))
    AND any(right IN rights WHERE right.node_id = top.node_id AND right.depth >= size(way) AND @also) }

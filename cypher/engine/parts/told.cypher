// Part: told(fact, record, node): whether the principal may read a fact that the record states at the node: others than the user live ones that are not
//   private, where they may read items.
// Needs: as_of, rights; parameters user_id, principal, earliest, known_at.
part.shown(@record) AND ($principal = $user_id OR (@fact.status = 'live' AND @fact.privacy <> 'private'
  AND part.opened(@node, 'records') AND part.opened(@node, 'items')))

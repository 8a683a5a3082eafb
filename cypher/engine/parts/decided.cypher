// Part: decided(entity): whether the user decided something of an entity: a correction, a verified alias, a merge; or a node is about it. For the user alone.
// Needs: as_of; parameters user_id, principal, known_at.
$principal = $user_id AND (EXISTS { (@entity)<-[:IS_ABOUT]-(:Node) } OR EXISTS { (alias:Alias)-[:NAMES]->(@entity) WHERE alias.verified }
  OR any(time IN coalesce(@entity.renamed, []) + coalesce(@entity.rekinded, []) + coalesce(@entity.given_at, []) WHERE time <= $known_at)
  OR EXISTS { (@entity)-[join:SUPERSEDES]->(:Entity) WHERE part.holds(join) })

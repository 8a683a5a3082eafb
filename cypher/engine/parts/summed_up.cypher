// Part: summed_up(entity): the summary of an entity, as long as the relations hold that it names; for the user of the graph alone, null for others.
// Needs: as_of; parameters user_id, principal, known_at.
CASE WHEN $principal = $user_id AND all(id IN coalesce(@entity.summary_of, []) WHERE EXISTS {
  MATCH (@entity)-[joined:SUPERSEDES*0..]->(:Entity)-[named]-(:Entity)
  WHERE named.relation_id = id AND named.strength > 0 AND (named.until IS NULL OR named.until > toString(date(as_of)))
    AND all(one IN joined WHERE part.holds(one)) }) THEN nullIf(@entity.summary, '') END

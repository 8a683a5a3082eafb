// Part: summed_up(entity): the summary of an entity, as long as the relations hold that it names, and all are called so; for the user of the graph alone, null for others.
// Needs: as_of; parameters user_id, principal, known_at.
CASE WHEN $principal = $user_id AND NOT part.renamed_since(@entity) AND all(id IN coalesce(@entity.summary_of, []) WHERE EXISTS {
  MATCH (@entity)-[joined:SUPERSEDES*0..]->(:Entity)-[named]-(summed:Entity)
  WHERE named.relation_id = id AND named.strength > 0 AND (named.until IS NULL OR named.until > toString(date(as_of)))
    AND all(one IN joined WHERE part.holds(one)) AND NOT part.renamed_since(summed) }) THEN nullIf(@entity.summary, '') END

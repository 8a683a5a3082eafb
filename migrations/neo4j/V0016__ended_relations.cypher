// Of relations of which one can hold at a time, some had ended those of other entities, and not those of their own: each is over again from the next one
// of the same entity on. What a record says to be over stays so.

MATCH (:Entity)-[ended]->(:Entity) WHERE ended.ended_by IS NOT NULL
WITH collect(DISTINCT ended.name) AS names
MATCH (a:Entity)-[old]->(:Entity)
WHERE old.relation_id IS NOT NULL AND old.name IN names AND old.strength > 0 AND (old.until IS NULL OR old.ended_by IS NOT NULL)
OPTIONAL MATCH (a)-[next]->(:Entity)
WHERE next.name = old.name AND next <> old AND next.strength > 0 AND next.last_at > old.last_at AND (next.until IS NULL OR next.ended_by IS NOT NULL OR next.relation_id = old.ended_by)
WITH old, next ORDER BY next.last_at
WITH old, head(collect(next)) AS next
SET old.until = CASE WHEN next IS NULL THEN null ELSE coalesce(next.since, toString(date(next.last_at))) END, old.ended_by = next.relation_id;

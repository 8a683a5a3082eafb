// Purpose: the merges in the graphs of some users, as the service sees them: for the leak fuzzer. Service only.
// Parameters: users (ids). Returns: user_id, merge_id, entity_id, merged_id, known_from, known_to.
MATCH (e:Entity)-[merge:SUPERSEDES]->(m:Entity)
WHERE e.user_id IN $users
RETURN e.user_id AS user_id, merge.merge_id AS merge_id, e.entity_id AS entity_id, m.entity_id AS merged_id,
       merge.known_from AS known_from, merge.known_to AS known_to

-- The commits that must be finished before this one: those that provision a node which it names.
CREATE OR REPLACE FUNCTION engine.commits_before(p_commit uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT b.commit_id FROM engine.outbox AS b, engine.nodes_made(b) AS made (id)
    WHERE (b.state = 'pending' OR b.state = 'set_aside')  -- each has an index
      AND b.user_id = (SELECT w.user_id FROM engine.outbox AS w WHERE w.commit_id = p_commit)
      AND 'node' = ANY (b.kinds) AND b.commit_id <> p_commit AND made.id IN (
        SELECT CASE WHEN pg_input_is_valid(v #>> '{}', 'uuid') THEN (v #>> '{}')::uuid END FROM engine.outbox AS o,
            jsonb_path_query(o.payload, '$.** ? (@.type() == "object").keyvalue() ?'
                             ' (@.key like_regex "^(node_id|parent_id|source_id|target_id|moved_to)$").value') AS v
        WHERE o.commit_id = p_commit)
$$;

-- Writes facts as they were decided: new ones, and what became of known ones. All of them, or NG409 where one may not be written, or
-- supersedes what is not there: the same for a fact that is missing and one that the principal may not change. `graph_revision` of a row: what a
-- commit of the same transaction carries into the graph, or 0. A known fact that was never carried stays so: a job carries it with its names. Rows of an older
-- release say nothing of revisions.
CREATE OR REPLACE FUNCTION engine.enter_facts(p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    graph uuid := engine.principal_graph();
    given engine.facts[] := (SELECT array_agg(r) FROM jsonb_populate_recordset(
        NULL::engine.facts, (SELECT jsonb_agg('{"revision": 1, "graph_revision": 0}'::jsonb || l) FROM jsonb_array_elements(p_rows) AS l)) AS r);
BEGIN
    IF EXISTS (SELECT FROM unnest(given) AS g
               WHERE g.user_id <> graph OR NOT engine.can('write', g.node_id, 'items')
                     OR g.privacy = 'private' AND NOT engine.owns(g.node_id)
                     OR NOT EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = g.node_id AND n.user_id = graph))
       OR EXISTS (SELECT FROM unnest(given) AS g JOIN engine.facts AS f ON f.fact_id = g.fact_id
                  WHERE f.user_id <> graph OR NOT engine.can('write', f.node_id, 'items')
                        OR f.privacy = 'private' AND NOT engine.owns(f.node_id))
       OR EXISTS (SELECT FROM unnest(given) AS g
                  WHERE g.supersedes IS NOT NULL AND NOT EXISTS (SELECT FROM unnest(given) AS o WHERE o.fact_id = g.supersedes)
                        AND NOT EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = g.supersedes AND f.user_id = graph
                                        AND engine.can('write', f.node_id, 'items')
                                        AND (f.privacy <> 'private' OR engine.owns(f.node_id)))) THEN
        RAISE EXCEPTION 'The facts of this memory were changed meanwhile.' USING ERRCODE = 'NG409';
    END IF;
    INSERT INTO engine.facts AS f SELECT (g).* FROM unnest(given) AS g ORDER BY (g).fact_id
    ON CONFLICT (fact_id) DO UPDATE SET
        status = excluded.status, supersedes = excluded.supersedes, ended_by = excluded.ended_by,
        valid_to = excluded.valid_to, invalidated_at = excluded.invalidated_at, last_confirmed_at = excluded.last_confirmed_at,
        confirmations = excluded.confirmations, stale = excluded.stale, revision = greatest(f.revision, excluded.revision),
        graph_revision = CASE WHEN f.graph_revision > 0 THEN greatest(f.graph_revision, excluded.graph_revision) ELSE 0 END;
    PERFORM engine.set_doubts(p_rows);
EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'The facts of this memory were changed meanwhile.' USING ERRCODE = 'NG409';
END $$;
GRANT EXECUTE ON FUNCTION engine.enter_facts TO neurigraph_request;

-- Writes of which attributes facts speak, and until when their plans hold, right after these were entered; facts that the principal may not write are passed over.
-- Another end of a plan, which no commit of the same transaction carries into the graph (`in_graph`), raises the revision of its fact: a job carries it there.
CREATE OR REPLACE FUNCTION engine.enter_attributes(p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WITH given AS (
        SELECT f.fact_id, f.user_id, r.attribute, r.label, r.kind, r.single, r.holds_until, r.text_from, r.in_graph
        FROM jsonb_to_recordset(p_rows) AS r (fact_id uuid, attribute text, label text, kind text, single boolean, holds_until timestamptz, text_from timestamptz,
                                              in_graph boolean)
        JOIN engine.facts AS f ON f.fact_id = r.fact_id
        WHERE f.user_id = engine.principal_graph() AND engine.can('write', f.node_id, 'items') AND (f.privacy <> 'private' OR engine.owns(f.node_id))
        ORDER BY f.fact_id FOR UPDATE OF f
    ), raised AS (
        UPDATE engine.facts AS f SET revision = f.revision + 1
        FROM given AS g LEFT JOIN engine.fact_attributes AS a ON a.fact_id = g.fact_id
        WHERE f.fact_id = g.fact_id AND NOT g.in_graph AND g.holds_until IS DISTINCT FROM a.holds_until
    )
    INSERT INTO engine.fact_attributes AS a (fact_id, user_id, attribute, label, kind, single, holds_until, text_from)
    SELECT g.fact_id, g.user_id, g.attribute, g.label, g.kind, g.single, g.holds_until, g.text_from FROM given AS g
    ON CONFLICT (fact_id) DO UPDATE SET attribute = excluded.attribute, label = excluded.label, kind = excluded.kind, single = excluded.single,
        holds_until = excluded.holds_until, text_from = excluded.text_from;
END $$;
GRANT EXECUTE ON FUNCTION engine.enter_attributes TO neurigraph_request;

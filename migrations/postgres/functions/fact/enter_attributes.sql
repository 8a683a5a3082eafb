-- Writes of which attributes facts speak, and until when their plans hold, right after these were entered; facts that the principal may not write are passed over.
CREATE OR REPLACE FUNCTION engine.enter_attributes(p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO engine.fact_attributes AS a (fact_id, user_id, attribute, label, kind, single, holds_until, text_from)
    SELECT f.fact_id, f.user_id, r.attribute, r.label, r.kind, r.single, r.holds_until, r.text_from
    FROM jsonb_to_recordset(p_rows) AS r (fact_id uuid, attribute text, label text, kind text, single boolean, holds_until timestamptz, text_from timestamptz)
    JOIN engine.facts AS f ON f.fact_id = r.fact_id
    WHERE f.user_id = engine.principal_graph() AND engine.can('write', f.node_id, 'items') AND (f.privacy <> 'private' OR engine.owns(f.node_id))
    ORDER BY f.fact_id
    ON CONFLICT (fact_id) DO UPDATE SET attribute = excluded.attribute, label = excluded.label, kind = excluded.kind, single = excluded.single,
        holds_until = excluded.holds_until, text_from = excluded.text_from;
END $$;
GRANT EXECUTE ON FUNCTION engine.enter_attributes TO neurigraph_request;

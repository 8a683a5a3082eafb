-- Whether a hold is on any of these: on the user, on a source, on a record, on a node or one above it. Of a record its source counts, too.
CREATE OR REPLACE FUNCTION engine.on_hold(p_user uuid, p_sources text[], p_records uuid[], p_nodes uuid[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
BEGIN
    SELECT bool_or(h.kind = 'user') AS whole, array_agg(h.subject) FILTER (WHERE h.kind = 'source') AS sources,
           array_agg(h.subject::uuid) FILTER (WHERE h.kind = 'record') AS records, array_agg(h.subject::uuid) FILTER (WHERE h.kind = 'node') AS nodes
    INTO held FROM engine.holds AS h WHERE h.user_id = p_user AND h.released_at IS NULL;
    IF held.whole IS NULL THEN
        RETURN false;  -- nothing of the user is held
    END IF;
    RETURN held.whole OR coalesce(held.records && p_records, false) OR coalesce(held.sources && p_sources, false)
        OR held.sources IS NOT NULL AND EXISTS (  -- what a persona stored is kept under its own name before the id
            SELECT FROM engine.raw_resources AS w WHERE w.record_id = ANY (p_records) AND w.user_id = p_user
              AND regexp_replace(w.source_id, '^persona:[0-9a-f-]{36}:', '') = ANY (held.sources))
        OR held.nodes IS NOT NULL AND EXISTS (
            WITH RECURSIVE above AS (
                SELECT n.node_id, n.parent_id FROM engine.nodes AS n WHERE n.node_id = ANY (p_nodes)
                UNION SELECT n.node_id, n.parent_id FROM engine.nodes AS n JOIN above AS a ON n.node_id = a.parent_id
            )
            SELECT FROM above AS a WHERE a.node_id = ANY (held.nodes));
END $$;

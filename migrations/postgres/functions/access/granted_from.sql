-- Since when the grants in force cover the node for this principal; NULL if none does. `p_field` NULL: the node as such.
CREATE OR REPLACE FUNCTION engine.granted_from(p_mode text, p_lineage uuid[], p_field text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN (
        SELECT min(greatest(CASE WHEN g.past THEN '-infinity' ELSE g.granted_at END, engine.placed_below(p_lineage, g.node_id)))
        FROM engine.grants AS g
        WHERE g.subject_id = id AND g.node_id = ANY (p_lineage) AND g.revoked_at IS NULL
          AND g.subject_kind = kind
          AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
          AND cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth
          AND (p_mode = 'read' OR g.mode = 'read_write')
          AND (p_field IS NULL OR p_field = ANY (g.fields)));
END $$;

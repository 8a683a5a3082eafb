-- Since when the nodes of a path, without its top, have had their present parents.
CREATE OR REPLACE FUNCTION engine.placed_below(p_lineage uuid[], p_top uuid) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce((SELECT max(n.placed_at) FROM engine.nodes AS n
                     WHERE n.node_id = ANY (p_lineage[array_position(p_lineage, p_top) + 1 :])), '-infinity');
END $$;

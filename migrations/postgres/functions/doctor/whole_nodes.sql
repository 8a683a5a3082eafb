-- The live ones of these nodes whose tables are complete by the catalog, in the order of their ids: the doctor reads no others.
CREATE OR REPLACE FUNCTION engine.whole_nodes(p_nodes uuid[]) RETURNS SETOF engine.nodes
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.* FROM engine.nodes AS n
    WHERE n.node_id = ANY (p_nodes) AND n.state = 'live' AND engine.node_damage(n.schema_name, n.template_version) IS NULL
    ORDER BY n.node_id
$$;

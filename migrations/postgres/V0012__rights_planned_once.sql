-- What a search asks of every node, as before but cheaper. The rights of a principal are planned once a session: a function in
-- plain SQL that may not be inlined is planned anew for each call, and every scan of a node calls two. Words are counted by the
-- key instead of by reading all. Items and records meet in a hash join: the statistics of a young node promise one row.

-- Who asks, with statements planned once; unset or malformed settings name nobody.
CREATE OR REPLACE FUNCTION engine.principal_kind() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
BEGIN
    RETURN coalesce(current_setting('engine.principal_kind', true), '');
END $$;
CREATE OR REPLACE FUNCTION engine.principal_id() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog AS $$
DECLARE
    given text := current_setting('engine.principal_id', true);
BEGIN
    RETURN CASE WHEN pg_input_is_valid(given, 'uuid') THEN given::uuid END;
END $$;

-- Whose graph the principal belongs to: a user's own, a persona's owner's; none for an integration.
CREATE OR REPLACE FUNCTION engine.principal_graph() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN CASE kind
        WHEN 'user' THEN id
        WHEN 'persona' THEN (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = id AND n.node_type = 'persona')
    END;
END $$;

-- Is there a grant in force that covers the node for this principal? `p_field` NULL asks for the node as such.
CREATE OR REPLACE FUNCTION engine.granted(p_mode text, p_lineage uuid[], p_field text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN EXISTS (
        SELECT FROM engine.grants AS g
        WHERE g.subject_id = id AND g.node_id = ANY (p_lineage) AND g.revoked_at IS NULL
          AND g.subject_kind = kind
          AND (g.expires_at IS NULL OR g.expires_at > statement_timestamp())
          AND cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth
          AND (p_mode = 'read' OR g.mode = 'read_write')
          AND (p_field IS NULL OR p_field = ANY (g.fields)));
END $$;

-- May the principal of this transaction do this with that node, or with that kind of its content? The one place where
-- the rules live for Postgres: every policy asks here, once a scan. Missing and forbidden both say no.
CREATE OR REPLACE FUNCTION engine.can(p_mode text, p_node uuid, p_field text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN p_mode IN ('read', 'write') AND EXISTS (
        SELECT FROM engine.nodes AS n
        WHERE n.node_id = p_node AND CASE kind
            WHEN 'user' THEN n.user_id = id
            WHEN 'persona' THEN n.user_id = engine.principal_graph()
                AND (p_mode = 'read' AND id = ANY (n.lineage) OR engine.granted(p_mode, n.lineage, p_field))
            WHEN 'third_party' THEN p_mode = 'read' AND engine.granted(p_mode, n.lineage, p_field)
            ELSE false END);
END $$;

-- Is this node the principal's own, as its user? What is private asks here.
CREATE OR REPLACE FUNCTION engine.owns(p_node uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    kind text := engine.principal_kind();
    id uuid := engine.principal_id();
BEGIN
    RETURN kind = 'user' AND EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_node AND n.user_id = id);
END $$;

-- In how many documents of these nodes the terms occur, per unit; term 0 counts the documents. All units are named: so the
-- primary key finds the terms.
CREATE OR REPLACE FUNCTION engine.search_counts(p_schemas text[], p_terms integer[])
RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
DECLARE
    node_schema text;
    units text[] := ARRAY['turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
                          'private scoped turn', 'private scoped passage', 'private scoped record'];
BEGIN
    FOREACH node_schema IN ARRAY coalesce(p_schemas, '{}') LOOP
        CONTINUE WHEN pg_relation_size(format('%I.term_counts', node_schema)::regclass) = 0;
        RETURN QUERY EXECUTE format('SELECT unit, term, documents FROM %I.term_counts WHERE unit = ANY ($2) AND term = ANY ($1)',
                                    node_schema) USING p_terms, units;
    END LOOP;
END $$;

ALTER FUNCTION engine.search_scan SET enable_nestloop = off;

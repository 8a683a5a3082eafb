-- Archived nodes: not searched and without new content, until they are taken back; what they held stays readable by its ids and in the
-- past. A node is archived by itself or with a node above it; a user with the root.
--
--   archived     the node itself was archived
--   archivings   when this node, by itself or with one above it, was archived, taken back, archived again, …: at a time it was
--                archived where the number of entries up to then is odd

ALTER TABLE engine.nodes
    ADD COLUMN archived boolean NOT NULL DEFAULT false,
    ADD COLUMN archivings timestamptz[] NOT NULL DEFAULT '{}';

-- Archives a node of the caller's graph with all below it, or takes it back; what another archived node is above stays archived.
-- Returns the nodes for which that changed something, with all their archivings. Part of the commit of engine.revise_node.
CREATE FUNCTION engine.archive_node(p_node uuid, p_archived boolean, p_now timestamptz)
RETURNS TABLE (node_id uuid, archivings timestamptz[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    -- As revise_node does: one change of the tree of a user at a time.
    PERFORM FROM engine.nodes AS r WHERE r.node_id = engine.principal_user() FOR UPDATE;
    IF NOT engine.owns(p_node) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    UPDATE engine.nodes AS n SET archived = p_archived WHERE n.node_id = p_node AND n.archived <> p_archived;
    RETURN QUERY UPDATE engine.nodes AS n SET archivings = n.archivings || p_now
        WHERE n.user_id = engine.principal_user() AND p_node = ANY (n.lineage)
          AND (cardinality(n.archivings) % 2 = 1) <> EXISTS (
              SELECT FROM engine.nodes AS a WHERE a.node_id = ANY (n.lineage) AND a.archived)
        RETURNING n.node_id, n.archivings;
END $$;
REVOKE ALL ON FUNCTION engine.archive_node FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.archive_node TO neurigraph_request;

-- New records and children of an archived node are refused with their commit, whoever writes.
CREATE FUNCTION engine.refuse_archived() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    records jsonb := CASE jsonb_typeof(NEW.payload -> 'records') WHEN 'array' THEN NEW.payload -> 'records' ELSE '[]' END;
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE cardinality(n.archivings) % 2 = 1 AND (
                   n.node_id = (NEW.payload -> 'node' ->> 'parent_id')::uuid
                   OR n.node_id IN (SELECT (r ->> 'node_id')::uuid FROM jsonb_array_elements(records) AS r))) THEN
        RAISE EXCEPTION 'An archived node takes no writes.' USING ERRCODE = 'NG423';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_archived BEFORE INSERT ON engine.outbox
    FOR EACH ROW WHEN (NEW.kind IN ('node', 'records')) EXECUTE FUNCTION engine.refuse_archived();

-- The nodes to search, of those asked for: what was archived at the moment is left out.
CREATE OR REPLACE FUNCTION engine.search_nodes(p_user uuid, p_nodes uuid[], p_as_of timestamptz, p_known_at timestamptz, p_most integer)
RETURNS TABLE (node_id uuid, schema_name text, template_version integer)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT n.node_id, n.schema_name, n.template_version
    FROM engine.nodes AS n
    WHERE n.user_id = p_user AND (p_nodes IS NULL OR n.node_id = ANY (p_nodes)) AND n.state = 'live'
      AND n.valid_from <= p_as_of AND (n.valid_to IS NULL OR n.valid_to > p_as_of)
      AND n.known_from <= p_known_at AND (n.known_to IS NULL OR n.known_to > p_known_at)
      AND width_bucket(least(p_as_of, p_known_at), n.archivings) % 2 = 0
    ORDER BY n.layer, n.created_at, n.node_id
    LIMIT p_most;
END;

-- Registers a node with its schema and the outbox row, or finds the sibling of that name. The parent may itself be on its way: nodes of
-- one path are registered in one transaction.
CREATE OR REPLACE FUNCTION engine.provision_own_node(p_node uuid, p_parent uuid, p_name text, p_key text, p_type text,
                                                     p_schemas text[], p_payload jsonb)
RETURNS TABLE (node_id uuid, schema_name text, layer integer, state text, node_type text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    parent engine.nodes;
    candidate text;
BEGIN
    SELECT * INTO parent FROM engine.nodes AS n WHERE n.node_id = p_parent AND n.known_to IS NULL;
    IF parent.node_id IS NULL OR NOT engine.can('write', p_parent) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    IF parent.layer >= 5 THEN
        RAISE EXCEPTION 'A node cannot lie deeper than layer 5.' USING ERRCODE = 'NG422';
    END IF;
    FOREACH candidate IN ARRAY p_schemas LOOP
        INSERT INTO engine.nodes (node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, template_version)
        VALUES (p_node, parent.user_id, p_parent, p_name, p_key, p_type, parent.layer + 1, candidate, engine.template_version())
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM engine.create_node_schema(p_node, candidate);
            INSERT INTO engine.outbox (commit_id, user_id, kind, created_at, payload)
            VALUES (p_node, parent.user_id, 'node', clock_timestamp(),  -- recovery finishes a parent before its child
                    jsonb_set(p_payload, '{node}', (p_payload -> 'node')
                    || jsonb_build_object('layer', parent.layer + 1, 'schema_name', candidate)));
            RETURN QUERY SELECT p_node, candidate, parent.layer + 1, 'pending', p_type, true;
            RETURN;
        END IF;
        RETURN QUERY SELECT n.node_id, n.schema_name, n.layer::integer, n.state, n.node_type, false FROM engine.nodes AS n
                     WHERE n.user_id = parent.user_id AND n.parent_id = p_parent AND n.name_key = p_key;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'No schema name is free.' USING ERRCODE = 'NG409';
END $$;
REVOKE ALL ON FUNCTION engine.refuse_archived FROM PUBLIC;

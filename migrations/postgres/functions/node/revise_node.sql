-- Changes a node for its owner: a new name, a new parent, or only the graph's part. One commit: registry, slices, delta
-- and the graph's part. `p_slices`: slices of name and place that end and begin (slice_id, known_to or all columns).
-- NG404: not found. NG409: not the expected revision. NG410: the name is taken. NG422: below layer 5. NG424: moved into
-- itself. Returns the graph's change, with the new layers of a moved node and of those below it.
CREATE OR REPLACE FUNCTION engine.revise_node(p_commit uuid, p_node uuid, p_expected integer, p_name text, p_key text, p_parent uuid,
                                   p_slices jsonb, p_delta jsonb, p_payload jsonb)
RETURNS TABLE (payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    node engine.nodes;
    target engine.nodes;
    shift integer := 0;
    above uuid[];
    message jsonb := jsonb_build_object('kind', 'node_revised') || p_payload;
BEGIN
    -- Lock: one change of a user's tree at a time, because two moves could close a cycle.
    PERFORM FROM engine.nodes AS r WHERE r.node_id = engine.principal_user() FOR UPDATE;
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node AND n.state = 'live' AND n.known_to IS NULL FOR UPDATE;
    IF node.node_id IS NULL OR NOT engine.owns(p_node) THEN
        RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
    END IF;
    IF node.revision <> p_expected THEN
        RAISE EXCEPTION 'The node was changed meanwhile.' USING ERRCODE = 'NG409';
    END IF;
    above := node.lineage[: node.layer];
    IF p_parent IS DISTINCT FROM node.parent_id THEN
        SELECT * INTO target FROM engine.nodes AS n
        WHERE n.node_id = p_parent AND n.user_id = node.user_id AND n.state = 'live' AND n.known_to IS NULL;
        IF target.node_id IS NULL OR node.layer = 0 THEN
            RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
        END IF;
        shift := target.layer + 1 - node.layer;
        above := target.lineage;
        IF p_node = ANY (above) THEN
            RAISE EXCEPTION 'A node cannot be moved into itself.' USING ERRCODE = 'NG424';
        END IF;
        IF 5 < shift + (SELECT max(n.layer) FROM engine.nodes AS n WHERE n.user_id = node.user_id AND p_node = ANY (n.lineage)) THEN
            RAISE EXCEPTION 'A node cannot lie deeper than layer 5.' USING ERRCODE = 'NG422';
        END IF;
    END IF;
    BEGIN
        UPDATE engine.nodes AS n
        SET parent_id = CASE n.node_id WHEN p_node THEN p_parent ELSE n.parent_id END,
            name = CASE n.node_id WHEN p_node THEN p_name ELSE n.name END,
            name_key = CASE n.node_id WHEN p_node THEN p_key ELSE n.name_key END,
            revision = n.revision + CASE n.node_id WHEN p_node THEN 1 ELSE 0 END,
            layer = n.layer + shift,
            lineage = above || n.lineage[node.layer + 1 :]
        WHERE n.user_id = node.user_id AND (n.node_id = p_node OR shift <> 0 OR p_parent IS DISTINCT FROM node.parent_id)
          AND p_node = ANY (n.lineage);
    EXCEPTION WHEN unique_violation THEN
        RAISE EXCEPTION 'A sibling has this name.' USING ERRCODE = 'NG410';
    END;
    IF p_parent IS DISTINCT FROM node.parent_id THEN
        message := jsonb_set(message, '{revision,layers}', (
            SELECT jsonb_agg(jsonb_build_object('node_id', n.node_id, 'layer', n.layer))
            FROM engine.nodes AS n WHERE n.user_id = node.user_id AND p_node = ANY (n.lineage)));
    END IF;
    IF node.layer = 0 THEN
        UPDATE engine.users AS u SET display_name = p_name WHERE u.user_id = p_node;
    END IF;
    PERFORM engine.note_node_slices(p_node, node.user_id, p_slices);
    EXECUTE format('INSERT INTO %I.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, previous_delta_id,'
                   ' authored_by, created_at, revision) SELECT d.* FROM jsonb_to_record($1) AS d (delta_id uuid, subject_kind text,'
                   ' subject_id uuid, w_coordinate timestamptz, payload jsonb, previous_delta_id uuid, authored_by text,'
                   ' created_at timestamptz, revision integer)', node.schema_name) USING p_delta;
    PERFORM engine.accept_commit(p_commit, node.user_id, jsonb_build_array(message));
    RETURN QUERY SELECT message;
END $$;
GRANT EXECUTE ON FUNCTION engine.revise_node TO neurigraph_request;

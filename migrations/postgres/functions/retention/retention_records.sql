-- Records of a user that a rule takes at a time, and whether a hold is on each. p_free: only those that are not held. At most p_limit, node by node; those that were stored
-- first come first at each. The age is the time since a record, or its newest version, was stored.
CREATE OR REPLACE FUNCTION engine.retention_records(p_rule engine.retention_rules, p_user uuid, p_now timestamptz, p_free boolean, p_limit integer)
RETURNS TABLE (record_id uuid, node_id uuid, schema_name text, source_id text, title text, kind text, stored_at timestamptz, withdrawn boolean, held boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    before timestamptz := p_now - p_rule.older_than;
    holds boolean := EXISTS (SELECT FROM engine.holds AS h WHERE h.user_id = p_user AND h.released_at IS NULL);
    rest integer := p_limit;
    found integer;
    n record;
BEGIN
    IF NOT EXISTS (SELECT FROM engine.raw_resources AS w WHERE w.user_id = p_user AND w.received_at < before) THEN
        RETURN;  -- nothing is that old, as in most runs
    END IF;
    FOR n IN
        WITH RECURSIVE below AS (
            SELECT t.node_id, t.schema_name FROM engine.nodes AS t
            WHERE t.user_id = p_user AND CASE WHEN p_rule.node_id IS NULL THEN t.layer = 0 ELSE t.node_id = p_rule.node_id END
            UNION ALL SELECT t.node_id, t.schema_name FROM engine.nodes AS t JOIN below AS b ON t.parent_id = b.node_id
        )
        SELECT * FROM below AS b ORDER BY b.node_id
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT f.*, $8 AND engine.on_hold($2, ARRAY[f.source_id], ARRAY[f.record_id], ARRAY[$3]) AS held FROM ('
            ' SELECT r.record_id, $3 AS node_id, $4 AS schema_name, r.source_id, r.title, engine.kind_of_record(r.content_type, r.source_id) AS kind,'
            '  greatest(r.created_at, (SELECT max(w.received_at) FROM engine.raw_resources AS w WHERE w.record_id = r.record_id AND w.user_id = $2)) AS stored_at,'
            '  r.known_to IS NOT NULL OR coalesce(r.valid_to <= now(), false) AS withdrawn'
            ' FROM %1$I.metadata_records AS r'
            ' WHERE r.version_of IS NULL AND r.state = ''live'' AND r.created_at < $5'
            '  AND (($1).kind IS NULL OR engine.kind_of_record(r.content_type, r.source_id) = ($1).kind)'
            '  AND (($1).source IS NULL OR ($1).source IN (r.source_id, engine.given_source(r.source_id)))'
            '  AND (($1).source_prefix IS NULL OR starts_with(r.source_id, ($1).source_prefix) OR starts_with(engine.given_source(r.source_id), ($1).source_prefix))'
            '  AND (($1).scope IS NULL OR r.scope = ($1).scope) AND (($1).scope_id IS NULL OR r.scope_id = ($1).scope_id)'
            '  AND (($1).tag IS NULL OR EXISTS (SELECT FROM %1$I.memory_items AS i WHERE i.record_id = r.record_id AND ($1).tag = ANY (i.tags)))) AS f'
            ' WHERE f.stored_at < $5 AND NOT ($6 AND $8 AND engine.on_hold($2, ARRAY[f.source_id], ARRAY[f.record_id], ARRAY[$3]))'
            ' ORDER BY f.stored_at, f.record_id LIMIT $7', n.schema_name)
            USING p_rule, p_user, n.node_id, n.schema_name, before, p_free, rest, holds;
        GET DIAGNOSTICS found = ROW_COUNT;
        rest := rest - found;
        EXIT WHEN rest <= 0;
    END LOOP;
END $$;

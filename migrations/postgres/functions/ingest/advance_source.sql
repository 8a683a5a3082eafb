-- Moves a source forward from `p_seen` stored units to `p_units`; refuses when another request did so first (NG409), or it was forgotten (NG425).
CREATE OR REPLACE FUNCTION engine.advance_source(p_source text, p_seen integer, p_units integer, p_hash bytea, p_commit uuid)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM engine.refuse_forgotten('source', ARRAY[p_source, regexp_replace(p_source, '#again\d+$', '')]);
    IF p_seen = 0 THEN
        INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id, units_before)
        VALUES (engine.principal_graph(), p_source, p_units, p_hash, p_commit, 0) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE engine.sources SET units = p_units, content_hash = p_hash, commit_id = p_commit, updated_at = now(),
               units_before = units, hash_before = content_hash, commit_before = commit_id
        WHERE user_id = engine.principal_graph() AND source_id = p_source AND units = p_seen;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'Another request stored the source at the same time.' USING ERRCODE = 'NG409';
    END IF;
END $$;
GRANT EXECUTE ON FUNCTION engine.advance_source TO neurigraph_request;

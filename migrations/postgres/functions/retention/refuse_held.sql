-- Refuses to erase what is held (NG426). What takes more than records and sources, whose place nobody knows before, is refused while anything of the user is held.
CREATE OR REPLACE FUNCTION engine.refuse_held(p_kind text, p_user uuid, p_sources text[], p_records uuid[], p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (CASE WHEN p_kind IN ('record', 'document', 'source', 'conversation', 'item', 'retention') THEN engine.on_hold(p_user, p_sources, p_records, p_nodes)
            ELSE EXISTS (SELECT FROM engine.holds AS h WHERE (h.user_id = p_user OR p_kind = 'workspace') AND h.released_at IS NULL) END) THEN
        RAISE EXCEPTION 'It is on legal hold.' USING ERRCODE = 'NG426';
    END IF;
END $$;

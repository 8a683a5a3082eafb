-- A delta's payload as a reader other than the owner sees it: without ids of nodes that it may not read, without the reasons that other
-- authors gave for moves from or to them, and without values that held only before p_since.
CREATE OR REPLACE FUNCTION engine.told_payload(p_payload jsonb, p_effect timestamptz, p_author text, p_since timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own boolean := p_author = engine.principal_kind() || ':' || engine.principal_id();
    told jsonb := p_payload;
    part text;
BEGIN
    IF p_payload ->> 'operation' = 'moved' THEN
        FOREACH part IN ARRAY ARRAY['before', 'after'] LOOP
            CONTINUE WHEN engine.can('read', (p_payload #>> ARRAY['fields', 'node_id', part])::uuid, NULL);
            told := jsonb_set(told, ARRAY['fields', 'node_id', part], 'null');
            told := CASE WHEN own THEN told ELSE jsonb_set(told, '{reason}', '""') END;
        END LOOP;
    ELSIF p_effect < p_since THEN
        told := jsonb_set(told, '{fields}', coalesce((
            SELECT jsonb_object_agg(f.key, jsonb_build_object('before', NULL, 'after', CASE WHEN own THEN f.value -> 'after' END))
            FROM jsonb_each(p_payload -> 'fields') AS f), '{}'));
    END IF;
    RETURN told;
END $$;

-- Returns the conversation, locked until the end of the transaction; creates it if it is new. Turns already stored under its id
-- count as its first turns, but only for a client that sends the number of the next one (else NG409). One that was forgotten is refused (NG425), unless the
-- opening says `again`.
CREATE OR REPLACE FUNCTION engine.open_conversation(p_source text, p_opening jsonb, p_first integer, p_now timestamptz)
RETURNS engine.conversations LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.principal_graph();
    found engine.conversations;
    earlier engine.sources;
    node uuid := (p_opening ->> 'node_id')::uuid;
BEGIN
    IF (p_opening ->> 'again')::boolean THEN
        PERFORM engine.store_again('source', ARRAY[p_source]);
    END IF;
    PERFORM engine.refuse_forgotten('source', ARRAY[p_source]);
    SELECT * INTO found FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    IF found.user_id IS NULL THEN
        IF owner IS NULL OR node IS NOT NULL AND NOT engine.can('write', node) THEN
            RAISE EXCEPTION 'There is no such node.' USING ERRCODE = 'NG404';
        END IF;
        SELECT * INTO earlier FROM engine.sources WHERE user_id = owner AND source_id = p_source;
        IF earlier.units IS DISTINCT FROM p_first AND earlier.units IS NOT NULL THEN
            RAISE EXCEPTION 'The conversation is already stored.' USING ERRCODE = 'NG409';
        END IF;
        INSERT INTO engine.conversations (user_id, source_id, conversation_id, principal_kind, principal_id, node_id, title, started_at, started_offset,
                                          privacy, scope, scope_id, source, expires_at, turns, stored, chain, begun_at, last_at)
        VALUES (owner, p_source, p_opening ->> 'conversation_id', engine.principal_kind(), engine.principal_id(), node,
                coalesce(p_opening ->> 'title', ''), (p_opening ->> 'started_at')::timestamptz, (p_opening ->> 'started_offset')::smallint, coalesce(p_opening ->> 'privacy', 'org'),
                p_opening ->> 'scope', p_opening ->> 'scope_id', p_opening ->> 'source', (p_opening ->> 'expires_at')::timestamptz,
                coalesce(earlier.units, 0), coalesce(earlier.units, 0), coalesce(earlier.content_hash, ''), p_now, p_now)
        ON CONFLICT DO NOTHING;
        SELECT * INTO STRICT found FROM engine.conversations WHERE user_id = owner AND source_id = p_source FOR UPDATE;
    END IF;
    IF found.scope <> p_opening ->> 'scope' OR found.scope_id IS DISTINCT FROM p_opening ->> 'scope_id'
       OR found.source <> p_opening ->> 'source' OR found.privacy <> p_opening ->> 'privacy' OR found.node_id <> node THEN
        RAISE EXCEPTION 'The conversation has another node, privacy, scope or source.' USING ERRCODE = 'NG409';
    END IF;
    IF (p_opening ->> 'expires_at')::timestamptz <> coalesce(found.expires_at, 'infinity') THEN
        UPDATE engine.conversations SET expires_at = (p_opening ->> 'expires_at')::timestamptz WHERE user_id = owner AND source_id = p_source RETURNING * INTO found;
    END IF;
    RETURN found;
END $$;
GRANT EXECUTE ON FUNCTION engine.open_conversation TO neurigraph_request;

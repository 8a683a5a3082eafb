-- Appends turns, in order. p_first: the number of the first one, or NULL. A turn with a known number or ref is
-- skipped if it is the same, and refused (NG409) if it differs; so is a gap. All of them or none.
CREATE OR REPLACE FUNCTION engine.append_turns(p_source text, p_opening jsonb, p_first integer, p_refs text[], p_digests bytea[], p_tokens integer[],
                                    p_roles text[], p_times timestamptz[], p_offsets smallint[], p_speakers text[], p_contents text[], p_now timestamptz)
RETURNS TABLE (state text, turns integer, stored integer, tokens bigint, waiting_tokens bigint, added integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c engine.conversations := engine.open_conversation(p_source, p_opening, p_first, p_now);
    known engine.conversation_turns;
    new_turns integer := 0;
    new_tokens bigint := 0;
BEGIN
    FOR place IN 1 .. cardinality(p_digests) LOOP
        known := NULL;
        IF p_refs[place] IS NOT NULL THEN
            SELECT * INTO known FROM engine.conversation_turns AS t
            WHERE t.user_id = c.user_id AND t.source_id = p_source AND t.ref = p_refs[place];
        END IF;
        IF known.number IS NULL AND p_first + place - 1 < c.turns + new_turns THEN
            SELECT * INTO known FROM engine.conversation_turns AS t
            WHERE t.user_id = c.user_id AND t.source_id = p_source AND t.number = p_first + place - 1
              AND (t.ref IS NULL OR p_refs[place] IS NULL);
            IF known.number IS NULL THEN
                RAISE EXCEPTION 'Another turn has this number.' USING ERRCODE = 'NG409';
            END IF;
        END IF;
        IF known.number IS NOT NULL THEN
            IF known.digest <> p_digests[place] OR new_turns > 0 OR known.number <> p_first + place - 1 THEN
                RAISE EXCEPTION 'The turn differs from the stored one, or is out of order.' USING ERRCODE = 'NG409';
            END IF;
        ELSIF p_first + place - 1 > c.turns + new_turns THEN
            RAISE EXCEPTION 'There is a gap before this turn.' USING ERRCODE = 'NG409';
        ELSE
            INSERT INTO engine.conversation_turns (user_id, source_id, number, ref, digest, tokens, role, said_at, said_offset, speaker, content)
            VALUES (c.user_id, p_source, c.turns + new_turns, p_refs[place], p_digests[place], p_tokens[place], p_roles[place],
                    p_times[place], p_offsets[place], p_speakers[place], p_contents[place]);
            new_turns := new_turns + 1;
            new_tokens := new_tokens + p_tokens[place];
        END IF;
    END LOOP;
    IF new_turns > 0 THEN
        UPDATE engine.conversations AS o
        SET state = 'open', ended_at = NULL, turns = o.turns + new_turns, tokens = o.tokens + new_tokens,
            waiting_tokens = o.waiting_tokens + new_tokens, last_at = greatest(o.last_at, p_now)
        WHERE o.user_id = c.user_id AND o.source_id = p_source
        RETURNING * INTO c;
    END IF;
    RETURN QUERY SELECT c.state, c.turns, c.stored, c.tokens, c.waiting_tokens, new_turns;
END $$;
GRANT EXECUTE ON FUNCTION engine.append_turns TO neurigraph_request;

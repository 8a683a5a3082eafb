-- Makes the insights of a user those that a build found: what is known already keeps its id, what is found no more ends, what is new begins. Of other kinds than
-- p_kinds nothing is changed. p_found: key, kind, text, facts, relations, entities, records. Returns how many hold then. For the service.
CREATE OR REPLACE FUNCTION engine.keep_insights(p_user uuid, p_found jsonb, p_kinds text[], p_now timestamptz) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    UPDATE engine.insights AS i SET known_to = greatest(p_now, i.known_from + interval '1 microsecond')
    WHERE i.user_id = p_user AND i.known_to IS NULL AND i.kind = ANY (p_kinds)
          AND NOT EXISTS (SELECT FROM jsonb_to_recordset(p_found) AS f (key text) WHERE f.key = i.key);
    INSERT INTO engine.insights (user_id, key, kind, text, facts, relations, entities, records, known_from, built_at)
    SELECT p_user, f.key, f.kind, f.text, f.facts, f.relations, f.entities, f.records, p_now, p_now
    FROM jsonb_to_recordset(p_found) AS f (key text, kind text, text text, facts uuid[], relations uuid[], entities uuid[], records uuid[])
    ON CONFLICT (user_id, key) WHERE known_to IS NULL
    DO UPDATE SET text = EXCLUDED.text, facts = EXCLUDED.facts, relations = EXCLUDED.relations, entities = EXCLUDED.entities,
                  records = EXCLUDED.records, built_at = EXCLUDED.built_at;
    SELECT count(*) FROM engine.insights AS i WHERE i.user_id = p_user AND i.known_to IS NULL;
END;

-- What became of sources that were stored: of each known one how often it was stored again after it was withdrawn (`again`, the last time's key
-- is `KEY#again2`), how far that is stored, how many of its records hold, the last retraction that withdrew one since (`retraction_id`), whether
-- one was emptied passage by passage, and one that was ended by hand. Only those of the principal's own keys.
CREATE OR REPLACE FUNCTION engine.sources_held(p_sources text[])
RETURNS TABLE (source_id text, again integer, units integer, content_hash bytea, commit_id uuid, holding integer, retraction_id uuid,
               emptied boolean, ended_id uuid, ended_node uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    graph uuid := engine.principal_graph();
    known engine.sources;
    base text;
    part record;
    lies uuid;
    why text;
    since timestamptz;
BEGIN
    FOR known IN SELECT s.* FROM engine.sources AS s
                 WHERE s.user_id = graph AND s.source_id = ANY (p_sources) AND starts_with(s.source_id, engine.own_keys()) LOOP
        base := known.source_id;
        source_id := base;
        again := 0; holding := 0; retraction_id := NULL; emptied := false; ended_id := NULL; ended_node := NULL; since := NULL;
        WHILE EXISTS (SELECT FROM engine.sources AS s WHERE s.user_id = graph AND s.source_id = format('%s#again%s', base, again + 1)) LOOP
            again := again + 1;
        END LOOP;
        IF again > 0 THEN
            SELECT s.* INTO known FROM engine.sources AS s WHERE s.user_id = graph AND s.source_id = format('%s#again%s', base, again);
        END IF;
        units := known.units; content_hash := known.content_hash; commit_id := known.commit_id;
        FOR part IN
            SELECT r.record_id, min(r.at) AS received_at, engine.record_holds(r.record_id, min(r.place)::uuid) AS holds, min(r.place)::uuid AS node_id,
                   (SELECT o.retraction_id FROM engine.retraction_steps AS o
                    WHERE o.record_id = r.record_id AND o.fact_id IS NULL AND o.state = 'done' LIMIT 1) AS withdrawn
            FROM (SELECT w.record_id, w.received_at AS at, w.node_id::text AS place FROM engine.raw_resources AS w
                  WHERE w.user_id = graph AND w.authored_by = engine.principal_name()
                    AND w.source_id = CASE engine.principal_kind() WHEN 'persona' THEN substr(base, length(engine.own_keys()) + 2) ELSE base END
                  UNION ALL  -- parts of a document have one file
                  SELECT d.document_id, d.created_at, d.node_id::text FROM engine.documents AS d
                  WHERE d.user_id = graph AND d.source_id IN (SELECT base UNION SELECT format('%s#again%s', base, n) FROM generate_series(1, again) AS n)) AS r
            GROUP BY r.record_id ORDER BY 3 DESC, 2 DESC
        LOOP
            IF part.holds THEN
                holding := holding + 1;
                since := least(since, part.received_at);
            ELSIF part.withdrawn IS NOT NULL THEN
                retraction_id := coalesce(retraction_id, (SELECT t.retraction_id FROM engine.retractions AS t
                    WHERE t.retraction_id = part.withdrawn AND (since IS NULL OR t.retracted_at > since)));
            ELSIF NOT EXISTS (SELECT FROM engine.retraction_steps AS o WHERE o.record_id = part.record_id AND o.state = 'waiting') THEN
                lies := coalesce((SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = part.record_id ORDER BY a.entry_id DESC LIMIT 1),
                                 part.node_id);
                EXECUTE format('SELECT d.payload ->> ''reason'' FROM %I.delta_log AS d WHERE d.subject_id = $1 AND d.payload #> ''{fields,ended}'' IS NOT NULL'
                               ' ORDER BY d.revision DESC LIMIT 1', (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = lies))
                INTO why USING part.record_id;
                IF why = 'one of its passages was changed' THEN
                    emptied := true;
                ELSE
                    ended_id := part.record_id; ended_node := lies;
                END IF;
            END IF;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.sources_held TO neurigraph_request;

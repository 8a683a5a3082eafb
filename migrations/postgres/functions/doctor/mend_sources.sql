-- Rebuilds the stored position of a node's missing sources from their sessions or versions. Returns how many remain missing.
CREATE OR REPLACE FUNCTION engine.mend_sources(p_node uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = p_node);
BEGIN
    INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
    SELECT DISTINCT ON (l.source_id) owner,
           CASE WHEN a.actor_kind <> 'persona' THEN l.source_id
                ELSE 'persona:' || a.actor_id || ':' || CASE WHEN char_length(l.source_id) <= 455 THEN l.source_id
                                                             ELSE encode(sha256(convert_to(l.source_id, 'UTF8')), 'hex') END END,
           s.units, s.content_hash, s.commit_id
    FROM engine.lost_sources(p_node) AS l
    JOIN engine.ingest_sources AS s ON s.user_id = owner AND s.outcome = 'stored' AND s.units > 0 AND s.content_hash IS NOT NULL
         AND s.source_id IN (l.source_id, regexp_replace(l.source_id, '^conversation:', ''))
    JOIN engine.ingest_sessions AS a USING (session_id)
    ORDER BY l.source_id, s.entry_id DESC ON CONFLICT DO NOTHING;
    INSERT INTO engine.sources (user_id, source_id, units, content_hash, commit_id)
    SELECT DISTINCT ON (v.source_id) owner, v.source_id, v.version, v.content_hash, v.commit_id
    FROM engine.lost_sources(p_node) AS l JOIN engine.document_versions AS v ON v.user_id = owner AND v.source_id = l.source_id
    ORDER BY v.source_id, v.version DESC ON CONFLICT DO NOTHING;
    RETURN (SELECT count(*) FROM engine.lost_sources(p_node));
END $$;

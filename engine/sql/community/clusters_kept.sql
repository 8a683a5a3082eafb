-- Purpose: enters the clusters of a user. Service only. Parameters: user_id, built_at, version (of the vectors), clusters (json array of {cluster_id, name, summary, facts, vector}).
-- Returns: nothing.
INSERT INTO engine.fact_clusters AS c (cluster_id, user_id, name, size, summary, facts, embedding, embedding_version, changed_at)
SELECT r.cluster_id, %(user_id)s, r.name, cardinality(r.facts), r.summary, r.facts, r.vector::vector,
       CASE WHEN r.vector IS NOT NULL THEN %(version)s::text END, %(built_at)s
FROM jsonb_to_recordset(%(clusters)s) AS r (cluster_id uuid, name text, summary text, facts uuid[], vector text)
ON CONFLICT (cluster_id) DO UPDATE
SET name = EXCLUDED.name, size = EXCLUDED.size, summary = EXCLUDED.summary, facts = EXCLUDED.facts, embedding = EXCLUDED.embedding,
    embedding_version = EXCLUDED.embedding_version,
    changed_at = CASE WHEN c.facts @> EXCLUDED.facts AND c.facts <@ EXCLUDED.facts THEN c.changed_at ELSE EXCLUDED.changed_at END
WHERE c.user_id = EXCLUDED.user_id

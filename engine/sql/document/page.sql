-- Purpose: documents as they are now, by id, one page. Parameters: user_id, after (an id, or null), limit.
-- Returns: the columns of StoredDocument.
SELECT d.document_id, d.node_id, d.source_id, v.title, v.version, encode(v.content_hash, 'hex') AS content_hash, v.file_id, v.file_name,
       cardinality(v.chunks) AS chunks, d.created_at, v.known_at AS changed_at
FROM engine.documents AS d
CROSS JOIN LATERAL (SELECT * FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS v
WHERE d.user_id = %(user_id)s AND (%(after)s::uuid IS NULL OR d.document_id > %(after)s::uuid)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))
ORDER BY d.document_id LIMIT %(limit)s

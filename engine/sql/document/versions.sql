-- Purpose: versions of a document, the oldest first, one page. Parameters: user_id, document_id, after (a version), limit.
-- Returns: the columns of DocumentVersion; none where there is no such document that may be seen.
SELECT v.document_id, d.node_id, v.version, nullif(v.version - 1, 0) AS previous, v.title, encode(v.content_hash, 'hex') AS content_hash,
       v.file_id, v.file_name, cardinality(v.chunks) AS chunks, v.kept, v.added, v.superseded, v.authored_by, v.known_at
FROM engine.document_versions AS v
JOIN engine.documents AS d USING (document_id)
WHERE v.document_id = %(document_id)s AND v.user_id = %(user_id)s AND v.version > %(after)s::integer
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))
ORDER BY v.version LIMIT %(limit)s

-- Purpose: the newest version of each part of a document, for the next one; the largest part first. Parameters: user_id, source_id (as the
--   engine keeps it). Returns: document_id, node_id, version, content_hash, chunks, chunk_hashes, known_at, schema_name; none where there is
--   none that may be seen.
SELECT d.document_id, d.node_id, v.version, v.content_hash, v.chunks, v.chunk_hashes, v.known_at, n.schema_name
FROM engine.documents AS d
CROSS JOIN LATERAL (SELECT * FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS v
JOIN engine.nodes AS n USING (node_id)
WHERE d.user_id = %(user_id)s AND d.source_id = %(source_id)s ORDER BY cardinality(v.chunks) DESC, d.document_id LIMIT 1000

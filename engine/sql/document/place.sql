-- Purpose: where a version of a document lies, and its chunks. Parameters: user_id, document_id, version (null: the newest).
-- Returns: node_id, version, file_id, chunks, newest (the chunks of the newest version); none where there is none that may be seen.
SELECT d.node_id, v.version, v.file_id, v.chunks,
       (SELECT n.chunks FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS newest
FROM engine.documents AS d
JOIN engine.document_versions AS v USING (document_id)
WHERE d.document_id = %(document_id)s AND d.user_id = %(user_id)s AND (%(version)s::integer IS NULL OR v.version = %(version)s::integer)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))
ORDER BY v.version DESC LIMIT 1

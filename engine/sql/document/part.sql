-- Purpose: the newest version of a document, or of a part of it, by its record. Parameters: document_id.
-- Returns: version, source_id, title, content_hash, file_id, file_name, chunks, parts (of how many the document consists); none for what is
--   no document.
SELECT v.version, v.source_id, v.title, v.content_hash, v.file_id, v.file_name, v.chunks,
       (SELECT count(*) FROM engine.documents AS o WHERE o.user_id = d.user_id AND o.source_id = d.source_id) AS parts
FROM engine.documents AS d JOIN engine.document_versions AS v USING (document_id)
WHERE d.document_id = %(document_id)s ORDER BY v.version DESC LIMIT 1

-- Purpose: the versions of documents by their hashes. Parameters: user_id, sources (at most 1,000 ids, as the engine keeps them).
-- Returns: source_id, version, content_hash; none of those that may not be seen.
SELECT d.source_id, v.version, v.content_hash
FROM engine.documents AS d JOIN engine.document_versions AS v USING (document_id)
WHERE d.user_id = %(user_id)s AND d.source_id = ANY (%(sources)s)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))

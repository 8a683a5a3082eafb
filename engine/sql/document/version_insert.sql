-- Purpose: enters a version of a document. Parameters: the columns, known_at as now. Returns: nothing.
INSERT INTO engine.document_versions
    (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name, chunks, chunk_hashes, kept, added,
     superseded, authored_by, known_at)
VALUES (%(document_id)s, %(version)s, %(user_id)s, %(source_id)s, %(commit_id)s, %(title)s, %(content_hash)s, %(file_id)s, %(file_name)s,
        %(chunks)s, %(chunk_hashes)s, %(kept)s, %(added)s, %(superseded)s, %(authored_by)s, %(now)s)

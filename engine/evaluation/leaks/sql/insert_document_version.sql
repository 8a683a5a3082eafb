-- Purpose: tries to enter a version of any document: for the leak fuzzer, rolled back. Parameters: user_id, document_id, key, author. Returns: nothing.
INSERT INTO engine.document_versions (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name, chunks,
                                      chunk_hashes, kept, added, superseded, authored_by, known_at)
VALUES (%(document_id)s, 1000, %(user_id)s, %(key)s, gen_random_uuid(), '', sha256(''), gen_random_uuid(), '', ARRAY[]::uuid[], '', 0, 0, 0, %(author)s, now())

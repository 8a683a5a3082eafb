-- Purpose: tries to add a raw input at any node, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, node_id, key, record_id, file_id, author. Returns: nothing.
INSERT INTO engine.raw_resources (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type,
                                  packed, content_hash, size_bytes, authored_by, received_at, commit_id)
VALUES (%(file_id)s, %(user_id)s, coalesce(engine.workspace_of(%(user_id)s), gen_random_uuid()), 'event', %(key)s, %(record_id)s, %(node_id)s, '', '',
        '', false, sha256(''), 0, %(author)s, now(), gen_random_uuid())

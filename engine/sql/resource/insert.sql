-- Purpose: notes what came in with a record; once where several records share it. Parameters: the columns, known as those of the record's row. Returns: nothing.
INSERT INTO engine.raw_resources
    (resource_id, user_id, workspace_id, content_type, source_id, record_id, node_id, object_key, file_name, media_type, packed, content_hash,
     size_bytes, authored_by, received_at, commit_id, layout)
VALUES (%(file_id)s, %(user_id)s, engine.workspace_of(%(user_id)s), %(received_as)s, %(source_id)s, %(record_id)s, %(node_id)s, %(file_pointer)s,
        %(received_name)s, %(file_content_type)s, %(compression_format)s = 'gzip', %(sha256)s, %(size_bytes)s, %(authored_by)s, %(now)s,
        %(commit_id)s, %(layout)s)
ON CONFLICT DO NOTHING

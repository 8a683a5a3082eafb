-- Purpose: tries to add a record of a thread to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy. Returns: nothing.
INSERT INTO {schema}.metadata_records (record_id, commit_id, summary, embedding_pending, content_type, trigger_type, source_id,
                                       privacy, scope, scope_id)
VALUES (gen_random_uuid(), gen_random_uuid(), '', true, 'other', 'event_boundary', 'leaks', %(privacy)s, 'thread', 'leaks')

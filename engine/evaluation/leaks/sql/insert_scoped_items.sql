-- Purpose: tries to add an item of a thread to any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy. Returns: nothing; ends in a foreign key violation where policies and checks let it pass.
INSERT INTO {schema}.memory_items (item_id, record_id, kind, session, position, content, content_hash, terms, privacy, scope, scope_id)
VALUES (gen_random_uuid(), gen_random_uuid(), 'turn', gen_random_uuid(), 0, '', sha256(''), '{{}}/1000000', %(privacy)s, 'thread', 'leaks')

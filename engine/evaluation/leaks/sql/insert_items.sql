-- Purpose: tries to add an item to a record of any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: privacy, record_id. Returns: nothing; may end in a foreign key violation where the policies let it pass.
INSERT INTO {schema}.memory_items (item_id, record_id, kind, session, position, content, content_hash, terms, privacy)
VALUES (gen_random_uuid(), %(record_id)s, 'turn', gen_random_uuid(), 0, '', sha256(''), '{{}}/1000000', %(privacy)s)

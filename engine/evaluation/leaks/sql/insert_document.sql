-- Purpose: tries to enter a document at any node: for the leak fuzzer, rolled back. Parameters: user_id, node_id, key, document_id.
-- Returns: nothing.
INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at)
VALUES (%(document_id)s, %(user_id)s, %(key)s, %(node_id)s, now())

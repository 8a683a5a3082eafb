-- Purpose: enters a document with its first version's record. Parameters: document_id, user_id, source_id, node_id, now. Returns: nothing.
INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at)
VALUES (%(document_id)s, %(user_id)s, %(source_id)s, %(node_id)s, %(now)s)

-- Purpose: holds the active embedding version until the transaction ends; refuses one that is not active any more (NG411).
-- Parameters: version. Returns: one row, ignored.
SELECT engine.require_embeddings(%(version)s)

-- Purpose: the embedding versions in the order in which they were made. Parameters: none. Returns: all columns.
SELECT name, provider, model, dimension, compression, status, slot, created_at, promoted_at, archived_at, built_at, comparison
FROM engine.embedding_versions ORDER BY created_at, name LIMIT 1000

-- Purpose: the active embedding version. Parameters: none. Returns: name, dimension; none before the first start.
SELECT name, dimension FROM engine.embedding_versions WHERE status = 'active'

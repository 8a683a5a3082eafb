-- Purpose: takes its slot from a version that is not active. Service only. Parameters: name. Returns: one row, ignored.
SELECT engine.drop_embeddings(%(name)s)

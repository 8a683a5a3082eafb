-- Purpose: how many nodes wait for vectors, and since when. Service only. Parameters: none. Returns: nodes, oldest.
SELECT count(*) AS nodes, min(noted_at) AS oldest FROM engine.pending_vectors

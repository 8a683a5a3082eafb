-- Purpose: how many nodes wait for vectors, and since when. A note of a node that was not registered, because one of its name was there,
-- waits for nothing: the job removes it after an hour. Service only. Parameters: none. Returns: nodes, oldest.
SELECT count(*) AS nodes, min(p.noted_at) AS oldest FROM engine.pending_vectors AS p JOIN engine.nodes AS n USING (node_id)

-- Purpose: has lost vectors of a node made. Service only. Parameters: node_id. Returns: nothing of use.
SELECT engine.mend_vectors(%(node_id)s)

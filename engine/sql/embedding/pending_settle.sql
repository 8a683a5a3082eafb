-- Purpose: strikes a node off where nothing waits for a vector any more. Service only. Parameters: node_id. Returns: settled.
SELECT engine.settle_pending_vectors(%(node_id)s) AS settled

-- Purpose: restores lost entries of sources of a node. Service only. Parameters: node_id. Returns: left (those that stay unknown).
SELECT engine.mend_sources(%(node_id)s) AS left

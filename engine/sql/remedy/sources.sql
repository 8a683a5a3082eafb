-- Purpose: notes forgotten sources of a node again. Service only. Parameters: node_id. Returns: left (those that nothing tells of).
SELECT engine.mend_sources(%(node_id)s) AS left

-- Purpose: fills the gaps of a node's log of changes. Service only. Parameters: node_id. Returns: filled.
SELECT engine.mend_deltas(%(node_id)s) AS filled

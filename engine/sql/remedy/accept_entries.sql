-- Purpose: accepts that files of a node have no line in its manifest, which is logged; their records stay. Service only. Parameters: node_id.
-- Returns: records (their ids).
SELECT engine.accept_entries(%(node_id)s::uuid) AS records

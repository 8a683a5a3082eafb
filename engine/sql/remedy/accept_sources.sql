-- Purpose: accepts that it is unknown how far sources of a node were stored. Service only. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'source-lost', %(node_id)s::uuid, l.source_id FROM engine.lost_sources(%(node_id)s::uuid) AS l

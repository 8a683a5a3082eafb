-- Purpose: after a loss at a node was accepted: what came in for it stays as raw input, though no manifest there knows its file, which is logged.
--   Service only. Identifier: schema. Parameters: node_id. Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'input-kept', r.node_id, r.resource_id::text FROM engine.raw_resources AS r
WHERE r.node_id = %(node_id)s AND NOT EXISTS (SELECT FROM {schema}.file_manifest AS f WHERE f.file_id = r.resource_id)

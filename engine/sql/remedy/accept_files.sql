-- Purpose: accepts that files of a node are lost, which is logged. Service only. Parameters: node_id, files (uuid[]). Returns: nothing.
INSERT INTO engine.accepted_damage (kind, node_id, subject)
SELECT 'file-lost', %(node_id)s::uuid, f.file_id::text FROM unnest(%(files)s::uuid[]) AS f (file_id)

-- Purpose: which of these files no manifest of the user knows; raw inputs whose records' loss was accepted are known. Service only.
-- Parameters: root, files. Returns: unknown.
SELECT ARRAY(SELECT f.file_id FROM unnest(engine.unknown_files(%(root)s, %(files)s::uuid[])) AS f (file_id)
             WHERE NOT EXISTS (SELECT FROM engine.raw_resources AS r JOIN engine.accepted_damage AS a USING (node_id)
                               WHERE r.resource_id = f.file_id AND a.kind = 'input-kept' AND a.subject = f.file_id::text)) AS unknown

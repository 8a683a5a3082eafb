-- The doctor looks for records whose file has lost its line in the manifest: one column more. The function is in functions/doctor.

DROP FUNCTION IF EXISTS engine.node_contents(uuid[]);

-- Purpose: which of these files are the inputs of what was stored. Service only. Parameters: files. Returns: resource_id.
SELECT r.resource_id FROM engine.raw_resources AS r WHERE r.resource_id = ANY (%(files)s::uuid[])

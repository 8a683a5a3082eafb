-- Purpose: the files of these nodes as their manifests describe them. Service only. Parameters: nodes.
-- Returns: node_id, schema_name, file_id, storage_path, stored_bytes, packed, sha256.
SELECT node_id, schema_name, file_id, storage_path, stored_bytes, packed, sha256 FROM engine.node_files(%(nodes)s::uuid[])

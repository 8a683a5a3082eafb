-- Purpose: brings nodes to the newest version of their tables, one batch. Service only.
-- Parameters: nodes (uuid[] or null for any), most. Returns: upgraded, busy (in use; later again), outdated (all that are left).
SELECT * FROM engine.upgrade_nodes(%(nodes)s::uuid[], %(most)s::integer)

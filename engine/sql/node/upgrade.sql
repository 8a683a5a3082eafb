-- Purpose: brings nodes to the newest version of their tables, one batch. Service only.
-- Parameters: nodes (uuid[] or null for any), most. Returns: upgraded, outdated (all that are left).
SELECT upgraded, outdated FROM engine.upgrade_nodes(%(nodes)s::uuid[], %(most)s::integer)

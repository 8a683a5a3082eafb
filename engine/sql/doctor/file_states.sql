-- Purpose: how many files of these nodes have another state in their manifest than they have. Service only. Parameters: nodes.
-- Returns: node_id, files; no row for a node where all fit.
SELECT node_id, files FROM engine.wrong_file_states(%(nodes)s::uuid[])

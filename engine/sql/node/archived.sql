-- Purpose: whether one of these nodes is archived, by itself or with a node above it. Parameters: nodes (uuid[]).
-- Returns: archived; false for nodes that are missing or not readable.
SELECT EXISTS (
    SELECT FROM engine.nodes WHERE node_id = ANY (%(nodes)s::uuid[]) AND cardinality(archivings) %% 2 = 1) AS archived

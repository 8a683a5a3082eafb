-- Purpose: enters files of a node into its manifest again. Service only. Parameters: node_id, paths, sizes (bytes of the objects).
-- Returns: left (those in no raw input, or without their object).
SELECT engine.mend_entries(%(node_id)s, %(paths)s::text[], %(sizes)s::bigint[]) AS left

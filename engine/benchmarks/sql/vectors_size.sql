-- Purpose: size of a table on disk, with indexes and TOAST. Parameters: table. Returns: bytes.
SELECT pg_total_relation_size(%(table)s::text::regclass) AS bytes

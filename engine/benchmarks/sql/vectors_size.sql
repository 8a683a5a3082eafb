-- Purpose: what a table takes on disk, with what lies beside its rows. Parameters: table. Returns: bytes.
SELECT pg_total_relation_size(%(table)s::text::regclass) AS bytes

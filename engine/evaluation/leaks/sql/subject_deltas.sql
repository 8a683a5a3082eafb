-- Purpose: the chain of any record at any node, as the function gives it: for the leak fuzzer. Parameters: node_id, subject_id. Returns: id.
SELECT delta_id::text AS id FROM engine.subject_deltas(%(node_id)s, %(subject_id)s, 0, 1000)

-- Purpose: counts of documents in any nodes of any user: for the leak fuzzer.
-- Parameters: user_id, nodes. Returns: unit, documents (term 0 counts them).
SELECT unit, documents FROM engine.search_counts(%(user_id)s, %(nodes)s::uuid[], ARRAY[]::text[], ARRAY[]::integer[], ARRAY[0])

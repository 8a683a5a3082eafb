-- Purpose: counts of documents in any nodes by the names of their schemas: for the leak fuzzer.
-- Parameters: schemas. Returns: unit, documents (term 0 counts them).
SELECT unit, documents::integer AS documents FROM engine.search_counts(%(schemas)s::text[], ARRAY[0])

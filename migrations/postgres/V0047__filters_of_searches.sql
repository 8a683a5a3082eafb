-- The scan of a search takes filters and returns what a search with decay ranks by.
DROP FUNCTION IF EXISTS engine.search_scan(uuid[], text[], integer[], vector, text, sparsevec, sparsevec, text[], text[], text[], timestamptz, timestamptz);

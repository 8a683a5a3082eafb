-- The scan of a search returns what ranks its items; their contents are asked for those that are shown.
DROP FUNCTION IF EXISTS engine.search_scan(uuid[], text[], integer[], vector, text, sparsevec, sparsevec, text[], text[], text[], timestamptz, timestamptz);

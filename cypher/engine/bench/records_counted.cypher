// Purpose: how many records the graph holds. For a benchmark. Parameters: none. Returns: records.
MATCH (r:Record) RETURN count(r) AS records

// Purpose: the newest migration of the graph. Parameters: none. Returns: version.
MATCH (m:Migration) RETURN max(m.version) AS version

// Purpose: what was applied. Parameters: none. Returns: version, checksum.
MATCH (m:Migration) RETURN m.version AS version, m.checksum AS checksum ORDER BY version LIMIT 10000

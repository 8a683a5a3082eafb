// Purpose: notes an applied migration. Parameters: version, name, checksum. Returns: nothing.
MERGE (m:Migration {version: $version})
ON CREATE SET m.name = $name, m.checksum = $checksum, m.applied_at = datetime()

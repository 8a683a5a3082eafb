-- Purpose: the schemas of all live nodes that the principal may read, for an evaluation. Parameters: none. Returns: schema_name.
SELECT schema_name FROM engine.nodes WHERE state = 'live' AND known_to IS NULL ORDER BY layer, created_at LIMIT 10000

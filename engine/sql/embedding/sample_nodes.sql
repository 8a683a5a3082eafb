-- Purpose: some live nodes at random, of all users, to compare embedding versions on. Service only.
-- Parameters: most. Returns: user_id, schema_name.
SELECT user_id, schema_name FROM engine.nodes WHERE state = 'live' AND known_to IS NULL ORDER BY random() LIMIT %(most)s

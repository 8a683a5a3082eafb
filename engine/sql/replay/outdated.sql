-- Purpose: differing records of a replay that were changed since they were made, one page. Parameters: replay_id, most.
-- Returns: node_id, schema_name, record_id.
SELECT node_id, schema_name, record_id FROM engine.replayed_outdated(%(replay_id)s, %(most)s)

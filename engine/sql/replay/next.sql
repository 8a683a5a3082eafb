-- Purpose: the records that a replay makes next. Parameters: replay_id, most. Returns: node_id, schema_name, record_id; none at the end.
SELECT n.node_id, n.schema_name, n.record_id
FROM engine.replays AS r, engine.records_after(r.user_id, r.after_node, r.after_record, %(most)s) AS n
WHERE r.replay_id = %(replay_id)s AND r.state = 'building'

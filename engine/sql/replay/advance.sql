-- Purpose: says how far a replay is built; with no record that it is built. Parameters: replay_id, node_id, record_id (both null: no more).
-- Returns: replay_id; none where it is not being built.
UPDATE engine.replays
SET state = CASE WHEN %(record_id)s::uuid IS NULL THEN 'built' ELSE state END,
    after_node = CASE WHEN (after_node, after_record) < (%(node_id)s::uuid, %(record_id)s::uuid) THEN %(node_id)s::uuid ELSE after_node END,
    after_record = CASE WHEN (after_node, after_record) < (%(node_id)s::uuid, %(record_id)s::uuid) THEN %(record_id)s::uuid ELSE after_record END
WHERE replay_id = %(replay_id)s AND state = 'building' RETURNING replay_id

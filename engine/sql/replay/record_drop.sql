-- Purpose: drops a staged record of a replay. Parameters: replay_id, record_id. Returns: nothing.
DELETE FROM engine.replayed_records WHERE replay_id = %(replay_id)s AND record_id = %(record_id)s

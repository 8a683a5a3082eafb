-- Purpose: drops all that a replay has staged. Parameters: replay_id. Returns: nothing.
DELETE FROM engine.replayed_records WHERE replay_id = %(replay_id)s

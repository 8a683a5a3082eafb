-- Purpose: how many differing records of a replay were changed since they were made. Parameters: replay_id. Returns: records.
SELECT count(*) AS records FROM engine.replayed_outdated(%(replay_id)s, 1000000)

-- Purpose: commits that should have been finished by now. Service only. Parameters: older_than (seconds). Returns: pending, oldest, failure.
SELECT count(*) AS pending, min(created_at) AS oldest, max(last_failure) AS failure
FROM engine.outbox WHERE state = 'pending' AND created_at < now() - make_interval(secs => %(older_than)s)

-- Purpose: how many commits are set aside, and since when the oldest. Service only. Parameters: none. Returns: commits, oldest, failure (one cause).
SELECT count(*) AS commits, min(created_at) AS oldest, max(last_failure) AS failure FROM engine.outbox WHERE state = 'set_aside'

-- Purpose: which of these users have commits under way. Service only. Parameters: users. Returns: user_id.
SELECT DISTINCT user_id FROM engine.outbox WHERE user_id = ANY(%(users)s) AND state = 'pending'

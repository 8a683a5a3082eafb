-- Purpose: marks live facts that nothing confirmed since a time. Service only. Parameters: since. Returns: nothing.
UPDATE engine.facts SET stale = true
WHERE status = 'live' AND NOT stale AND greatest(last_confirmed_at, coalesce(said_at, known_from)) < %(since)s

-- Purpose: begins an ingest session, or takes up the one of that key again. Parameters: session_id, key (or null), came, now. Returns: nothing of use.
SELECT engine.begin_ingest(%(session_id)s, %(key)s, %(came)s, %(now)s)

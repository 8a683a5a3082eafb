-- Purpose: ends an ingest session. Parameters: session_id, state, failure (or null), skipped_count, skipped, now. Returns: nothing of use.
SELECT engine.end_ingest(%(session_id)s, %(state)s, %(failure)s, %(skipped_count)s::integer, %(skipped)s, %(now)s)

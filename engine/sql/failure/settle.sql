-- Purpose: settles a failure, once. Parameters: failure_id, state (replayed or dismissed), note, now. Returns: nothing of use.
SELECT engine.settle_failure(%(failure_id)s, %(state)s, %(note)s, %(now)s)

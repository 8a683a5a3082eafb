-- Purpose: lets this transaction, which changes something, read all of the past of nodes that its principal may write to.
-- Parameters: none. Returns: one row, ignored.
SELECT set_config('engine.whole_past', 'on', true)

-- Purpose: the limit of time of each statement, to the end of the transaction. Parameters: limit (as `3600s`). Returns: one row, ignored.
SELECT set_config('statement_timeout', %(limit)s, true)

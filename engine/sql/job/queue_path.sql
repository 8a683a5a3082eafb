-- Purpose: lets the queue's scripts find their own schema, to the end of the transaction. Parameters: none. Returns: nothing.
SET LOCAL search_path TO _queue, pg_catalog

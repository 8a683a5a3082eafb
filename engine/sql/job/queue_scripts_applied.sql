-- Purpose: which of the queue's scripts were applied. Parameters: none. Returns: name; at most 1000.
SELECT name FROM engine.queue_scripts ORDER BY name LIMIT 1000

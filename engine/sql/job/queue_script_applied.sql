-- Purpose: notes a script of the queue as applied. Parameters: name. Returns: nothing.
INSERT INTO engine.queue_scripts (name) VALUES (%(name)s)

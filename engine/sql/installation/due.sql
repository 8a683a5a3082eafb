-- Purpose: whether commits were finished since the last mark, and writing is not stopped. Service only. Parameters: none. Returns: due.
SELECT i.stopped_because IS NULL
       AND (i.next_generation <> i.generation OR EXISTS (SELECT FROM engine.outbox AS o WHERE o.state = 'done' AND o.done_at > i.marked_at)) AS due
FROM engine.installation AS i

-- Purpose: says that all stores have the next mark; with `lifted`, writing goes on. Service only. Parameters: lifted. Returns: nothing.
UPDATE engine.installation SET generation = next_generation, mark_id = next_mark_id, marked_at = now(),
       stopped_because = CASE WHEN %(lifted)s THEN NULL ELSE stopped_because END,
       stopped_at = CASE WHEN %(lifted)s THEN NULL ELSE stopped_at END

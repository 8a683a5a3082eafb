-- Purpose: stops writing, or allows it again (reason is null). Service only. Parameters: reason. Returns: nothing.
UPDATE engine.installation SET stopped_because = %(reason)s,
       stopped_at = CASE WHEN %(reason)s::text IS NOT NULL THEN coalesce(stopped_at, now()) END

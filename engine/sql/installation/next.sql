-- Purpose: says which mark the stores get next, before they get it. Service only. Parameters: generation, mark_id. Returns: nothing.
UPDATE engine.installation SET next_generation = %(generation)s, next_mark_id = %(mark_id)s

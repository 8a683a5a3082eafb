-- Purpose: gives a row of an item the state and times of a slice. Identifier: schema.
-- Parameters: row_id, state (jsonb), valid_from (null: from the beginning), valid_to, known_from, known_to. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET content = s.content, category = s.category, tags = s.tags, subjects = s.subjects, confidence = s.confidence,
    importance = s.importance, occurred_at = s.occurred_at,
    valid_from = coalesce(%(valid_from)s, '-infinity'::timestamptz), valid_to = %(valid_to)s, known_from = %(known_from)s,
    known_to = %(known_to)s
FROM jsonb_to_record(%(state)s) AS s (content text, category text, tags text[], subjects text[], confidence real, importance real,
                                      occurred_at timestamptz)
WHERE i.item_id = %(row_id)s

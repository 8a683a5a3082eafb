-- Purpose: gives a row of a record the state and times of a slice. Identifier: schema.
-- Parameters: row_id, state (jsonb), valid_from (null: from the beginning), valid_to, known_from, known_to. Returns: nothing.
UPDATE {schema}.metadata_records AS r
SET title = s.title, summary = s.summary, kw_entities = s.kw_entities, kw_topics = s.kw_topics, kw_dates = s.kw_dates,
    kw_relationships = s.kw_relationships, occurred_at = s.occurred_at,
    valid_from = coalesce(%(valid_from)s, '-infinity'::timestamptz), valid_to = %(valid_to)s, known_from = %(known_from)s,
    known_to = %(known_to)s
FROM jsonb_to_record(%(state)s) AS s (title text, summary text, kw_entities text[], kw_topics text[], kw_dates text[],
                                      kw_relationships text[], occurred_at timestamptz)
WHERE r.record_id = %(row_id)s

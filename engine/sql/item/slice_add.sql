-- Purpose: adds a slice of an item as a copy of another of its rows. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: row_id (of the new slice), subject_id, copied (the row), known_to (null: until further notice). Returns: nothing.
INSERT INTO {schema}.memory_items
    (item_id, version_of, revision, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
     {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session, first_person, word_count,
     time_expressions, section, span, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id, source, superseded_by,
     access_count, last_accessed_at, created_at, valid_from, valid_to, known_from, known_to, moved_at)
SELECT %(row_id)s, %(subject_id)s, revision, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
       {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session, first_person, word_count,
       time_expressions, section, span, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id, source, superseded_by,
       access_count, last_accessed_at, created_at, valid_from, valid_to, known_from, %(known_to)s, moved_at
FROM {schema}.memory_items WHERE item_id = %(copied)s

-- Purpose: adds a slice of a record as a copy of another of its rows. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: row_id (of the new slice), subject_id, copied (the row), known_to (null: until further notice). Returns: nothing.
INSERT INTO {schema}.metadata_records
    (record_id, version_of, revision, state, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms,
     kw_entities, kw_topics, kw_dates, kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer,
     token_count, privacy, scope, scope_id, source, occurred_at, created_at, last_accessed_at, valid_from, valid_to, known_from, known_to, moved_at)
SELECT %(row_id)s, %(subject_id)s, revision, state, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms,
       kw_entities, kw_topics, kw_dates, kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer,
       token_count, privacy, scope, scope_id, source, occurred_at, created_at, last_accessed_at, valid_from, valid_to, known_from, %(known_to)s, moved_at
FROM {schema}.metadata_records WHERE record_id = %(copied)s

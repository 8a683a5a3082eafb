-- Purpose: writes a record, not yet visible. Identifiers: schema, embedding and embedding_version (the slot). Parameters: the columns. Returns: nothing.
INSERT INTO {schema}.metadata_records
    (record_id, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms, kw_entities, kw_topics, kw_dates,
     kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer, token_count, privacy, occurred_at,
     created_at, last_accessed_at, known_from, valid_from)
VALUES (%(record_id)s, %(commit_id)s, %(title)s, %(summary)s, %(embedding)b, %(embedding_version)s, %(embedding_pending)s, %(terms)b,
        %(kw_entities)s, %(kw_topics)s, %(kw_dates)s, %(kw_relationships)s, %(kw_source)s, %(content_type)s,
        %(trigger_type)s, %(source_id)s, %(file_pointer)s, %(token_count)s, %(privacy)s, %(occurred_at)s,
        %(now)s, %(now)s, %(now)s, coalesce(%(valid_from)s, '-infinity'::timestamptz))

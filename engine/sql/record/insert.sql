-- Purpose: writes records, not yet visible. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: rows (json array of the columns), vectors and terms (one of each a row; vectors null where all are made later). Returns: nothing.
INSERT INTO {schema}.metadata_records
    (record_id, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms, kw_entities, kw_topics, kw_dates,
     kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer, token_count, privacy, occurred_at,
     created_at, last_accessed_at, known_from, valid_from)
SELECT r.record_id, r.commit_id, r.title, r.summary, r.vector, r.embedding_version, r.embedding_pending, r.terms, r.kw_entities, r.kw_topics, r.kw_dates,
       r.kw_relationships, r.kw_source, r.content_type, r.trigger_type, r.source_id, r.file_pointer, r.token_count, r.privacy, r.occurred_at,
       r.now, r.now, r.now, coalesce(r.valid_from, '-infinity'::timestamptz)
FROM ROWS FROM (
    jsonb_to_recordset(%(rows)s) AS (
        record_id uuid, commit_id uuid, title text, summary text, embedding_version text, embedding_pending boolean, kw_entities text[],
        kw_topics text[], kw_dates text[], kw_relationships text[], kw_source text, content_type text, trigger_type text, source_id text,
        file_pointer text, token_count integer, privacy text, occurred_at timestamptz, now timestamptz, valid_from timestamptz),
    unnest(%(vectors)b::vector[]), unnest(%(terms)b::sparsevec[]))
    AS r (record_id, commit_id, title, summary, embedding_version, embedding_pending, kw_entities, kw_topics, kw_dates, kw_relationships, kw_source,
          content_type, trigger_type, source_id, file_pointer, token_count, privacy, occurred_at, now, valid_from, vector, terms)

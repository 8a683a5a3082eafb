-- Purpose: writes items of records, in this order. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: rows (json array of the columns), vectors, tokens and terms (one of each a row; vectors null where all are made later). Returns: nothing.
INSERT INTO {schema}.memory_items
    (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
     {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session,
     first_person, word_count, time_expressions, section, span, token_count, category, tags, subjects, confidence,
     importance, privacy, entities, about, created_at, known_from, valid_from)
SELECT r.item_id, r.record_id, r.kind, r.session, r.position, r.source_ref, r.speaker, r.content, decode(r.content_hash, 'hex'), r.vector,
       r.embedding_version, r.tokens, r.terms, r.occurred_at, r.dates, r.is_question, r.previous_has_question, r.first_of_session,
       r.first_person, r.word_count, r.time_expressions, r.section, int4range(r.span_start, r.span_end), r.token_count, r.category, r.tags, r.subjects,
       r.confidence, r.importance, r.privacy, r.entities, r.about, r.now, r.now, coalesce(r.valid_from, '-infinity'::timestamptz)
FROM ROWS FROM (
    jsonb_to_recordset(%(rows)s) AS (
        item_id uuid, record_id uuid, kind text, session uuid, position integer, source_ref text, speaker text, content text, content_hash text,
        embedding_version text, occurred_at timestamptz, dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
        first_person boolean, word_count integer, time_expressions smallint, section text, span_start integer, span_end integer, token_count integer,
        category text, tags text[], subjects text[], confidence real, importance real, privacy text, entities integer[], about integer[],
        now timestamptz, valid_from timestamptz),
    unnest(%(vectors)b::vector[]), unnest(%(tokens)b::bytea[]), unnest(%(terms)b::sparsevec[])) WITH ORDINALITY
    AS r (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, embedding_version, occurred_at, dates, is_question,
          previous_has_question, first_of_session, first_person, word_count, time_expressions, section, span_start, span_end, token_count, category,
          tags, subjects, confidence, importance, privacy, entities, about, now, valid_from, vector, tokens, terms, number)
ORDER BY r.number

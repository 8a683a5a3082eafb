-- Purpose: writes one item of a record. Identifiers: schema, embedding and embedding_version (the slot). Parameters: the columns. Returns: nothing.
INSERT INTO {schema}.memory_items
    (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
     {embedding_version}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session,
     first_person, word_count, time_expressions, section, span, token_count, category, tags, subjects, confidence,
     importance, privacy, created_at, known_from, valid_from)
VALUES (%(item_id)s, %(record_id)s, %(kind)s, %(session)s, %(position)s, %(source_ref)s, %(speaker)s, %(content)s,
        %(content_hash)s, %(embedding)b, %(embedding_version)s, %(terms)b, %(occurred_at)s, %(dates)s,
        %(is_question)s, %(previous_has_question)s, %(first_of_session)s, %(first_person)s, %(word_count)s,
        %(time_expressions)s, %(section)s, int4range(%(span_start)s, %(span_end)s), %(token_count)s, %(category)s, %(tags)s, %(subjects)s,
        %(confidence)s, %(importance)s, %(privacy)s, %(now)s, %(now)s, coalesce(%(valid_from)s, '-infinity'::timestamptz))

-- Purpose: writes the item of a fact that confirmed another one and takes its place: with its words and meaning, in the record that confirmed it.
--   Identifier: schema. Parameters: item_id, copied (the other item), record_id, valid_from (null: from the beginning), now. Returns: terms;
--   no row where the item is there already.
INSERT INTO {schema}.memory_items
    (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, embedding, embedding_version, embedding_b, embedding_b_version,
     tokens, tokens_b,
     terms, occurred_at, dates, word_count, time_expressions, section, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id,
     source, created_at, known_from, valid_from)
SELECT %(item_id)s, %(record_id)s, i.kind, coalesce(t.session, i.session), coalesce(t.position, i.position), NULL, '', i.content, i.content_hash,
       i.embedding, i.embedding_version, i.embedding_b, i.embedding_b_version, i.tokens, i.tokens_b, i.terms, i.occurred_at, i.dates, i.word_count, i.time_expressions, i.section,
       i.token_count, i.category, i.tags, i.subjects, i.confidence, i.importance, i.privacy, i.entities, i.about, i.scope, i.scope_id, i.source, %(now)s, %(now)s,
       coalesce(%(valid_from)s, '-infinity'::timestamptz)
FROM {schema}.memory_items AS i
LEFT JOIN LATERAL (SELECT s.session, s.position FROM {schema}.memory_items AS s
                   WHERE s.record_id = %(record_id)s AND s.kind IN ('turn', 'chunk') AND s.version_of IS NULL ORDER BY s.position LIMIT 1) AS t ON true
WHERE i.item_id = %(copied)s
ON CONFLICT (item_id) DO NOTHING
RETURNING terms

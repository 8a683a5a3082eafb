-- Purpose: many copies of the items of one node, as bulk in the database. Identifier: schema. Parameters: copies, how many of each item.
-- Returns: nothing.
INSERT INTO {schema}.memory_items (
    item_id, record_id, kind, session, position, speaker, content, content_hash, embedding, embedding_version, terms, occurred_at, word_count,
    entities, about, tokens
)
SELECT gen_random_uuid(), record_id, kind, session, position, speaker, content, content_hash, embedding, embedding_version, terms, occurred_at,
       word_count, entities, about, tokens
FROM {schema}.memory_items, generate_series(1, %(copies)s)

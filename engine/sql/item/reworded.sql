-- Purpose: what is searched of rows of an item whose content is new. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: rows, embedding, embedding_version, tokens, terms, content_hash, dates, word_count, token_count. Returns: nothing.
UPDATE {schema}.memory_items
SET {embedding} = %(embedding)b, {embedding_version} = %(embedding_version)s, {tokens} = %(tokens)s, terms = %(terms)b, content_hash = %(content_hash)s,
    dates = %(dates)s, word_count = %(word_count)s, token_count = %(token_count)s
WHERE item_id = ANY (%(rows)s)

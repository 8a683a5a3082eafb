-- Purpose: gives an item the vector of a version, unless its text has changed meanwhile or it has one. Identifiers: schema,
--   embedding, embedding_version and tokens (the slot). Parameters: row_id, content_hash, embedding, tokens, version. Returns: nothing.
UPDATE {schema}.memory_items SET {embedding} = %(embedding)b, {embedding_version} = %(version)s, {tokens} = %(tokens)s
WHERE item_id = %(row_id)s AND content_hash = %(content_hash)s AND {embedding_version} IS DISTINCT FROM %(version)s

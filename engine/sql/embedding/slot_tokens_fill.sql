-- Purpose: gives an item its tokens by a version, unless its text or its version has changed meanwhile; the vector stays as it is. Identifiers:
--   schema, embedding_version and tokens (the slot). Parameters: row_id, content_hash, tokens, version. Returns: nothing.
UPDATE {schema}.memory_items SET {tokens} = %(tokens)s
WHERE item_id = %(row_id)s AND content_hash = %(content_hash)s AND {embedding_version} = %(version)s AND {tokens} IS NULL

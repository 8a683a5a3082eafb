-- Purpose: the vector of rows of a record whose summary is new. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: rows, embedding, embedding_version, embedding_pending. Returns: nothing.
UPDATE {schema}.metadata_records
SET {embedding} = %(embedding)b, {embedding_version} = %(embedding_version)s, embedding_pending = %(embedding_pending)s
WHERE record_id = ANY (%(rows)s)

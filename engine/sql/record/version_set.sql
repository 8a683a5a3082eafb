-- Purpose: gives the rows of a record that are known from now on the words and the file of its new version. Identifier: schema.
-- Parameters: rows, terms, file_pointer, token_count, embedding_pending (of the new chunks, too). Returns: nothing.
UPDATE {schema}.metadata_records
SET terms = %(terms)b, file_pointer = %(file_pointer)s, token_count = %(token_count)s,
    embedding_pending = embedding_pending OR %(embedding_pending)s
WHERE record_id = ANY (%(rows)s)

-- Purpose: gives the rows of a record that are known from now on the words and the file of its new version. Identifier: schema.
-- Parameters: rows, terms, file_pointer, token_count. Returns: nothing.
UPDATE {schema}.metadata_records SET terms = %(terms)b, file_pointer = %(file_pointer)s, token_count = %(token_count)s
WHERE record_id = ANY (%(rows)s)

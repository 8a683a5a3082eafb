-- Purpose: slices of a record are known no longer. Identifier: schema. Parameters: rows, known_to. Returns: nothing.
UPDATE {schema}.metadata_records SET known_to = %(known_to)s WHERE record_id = ANY (%(rows)s) AND known_to IS NULL

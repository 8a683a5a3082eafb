-- Purpose: counts a change of a record. Identifier: schema. Parameters: subject_id, revision. Returns: nothing.
UPDATE {schema}.metadata_records SET revision = %(revision)s WHERE record_id = %(subject_id)s

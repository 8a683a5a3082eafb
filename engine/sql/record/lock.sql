-- Purpose: waits for whoever changes the record, and keeps others waiting until the end of the transaction; what is read after it is
--   the newest. Identifier: schema. Parameters: subject_id. Returns: nothing of use.
SELECT revision FROM {schema}.metadata_records WHERE record_id = %(subject_id)s FOR UPDATE

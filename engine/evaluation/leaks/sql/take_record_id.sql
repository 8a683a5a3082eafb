-- Purpose: tries to give the first record of a node that the asker sees another id: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: id. Returns: nothing; see the row count.
UPDATE {schema}.metadata_records SET record_id = %(id)s WHERE record_id = (SELECT record_id FROM {schema}.metadata_records ORDER BY 1 LIMIT 1)

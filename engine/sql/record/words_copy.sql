-- Purpose: gives a row of a record the meaning of another of its rows. Identifiers: schema, embedding and embedding_version (the slot). Parameters: row_id, copied. Returns: nothing.
UPDATE {schema}.metadata_records AS r
SET {embedding} = o.{embedding}, {embedding_version} = o.{embedding_version}, embedding_pending = o.embedding_pending
FROM {schema}.metadata_records AS o WHERE r.record_id = %(row_id)s AND o.record_id = %(copied)s

-- Purpose: gives a record the vector of a version, unless its summary has changed meanwhile or it has one. Identifiers: schema,
--   embedding and embedding_version (the slot). Parameters: row_id, summary, embedding, version. Returns: nothing.
UPDATE {schema}.metadata_records SET {embedding} = %(embedding)b, {embedding_version} = %(version)s
WHERE record_id = %(row_id)s AND summary = %(summary)s AND {embedding_version} IS DISTINCT FROM %(version)s

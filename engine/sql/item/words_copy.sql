-- Purpose: gives a row of an item the words and meaning of another of its rows. Identifiers: schema, embedding, embedding_version and tokens (the slot). Parameters: row_id, copied. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET {embedding} = o.{embedding}, {embedding_version} = o.{embedding_version}, {tokens} = o.{tokens}, terms = o.terms, content_hash = o.content_hash, dates = o.dates,
    word_count = o.word_count, token_count = o.token_count, entities = o.entities, about = o.about
FROM {schema}.memory_items AS o WHERE i.item_id = %(row_id)s AND o.item_id = %(copied)s

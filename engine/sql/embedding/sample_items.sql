-- Purpose: some present items of a node at random, of those that a search finds. Service only. Identifier: schema. Parameters: most. Returns: item_id, content.
SELECT i.item_id, i.content
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE r.state = 'live' AND r.known_to IS NULL AND i.known_to IS NULL AND i.category <> 'whole' AND char_length(i.content) > 20
ORDER BY random() LIMIT %(most)s

-- Purpose: the items of one node into the baseline's table. Identifier: schema. Parameters: none. Returns: nothing.
INSERT INTO bench_items (item_id, content, embedding, words)
SELECT item_id, content, embedding, to_tsvector('english', content)
FROM {schema}.memory_items WHERE embedding IS NOT NULL

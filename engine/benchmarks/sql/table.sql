-- Purpose: the table of the retrieval benchmark's baseline, made by hand as one would; ends with the connection.
-- Parameters: none. Returns: nothing.
CREATE TEMPORARY TABLE bench_items (
    item_id   uuid PRIMARY KEY,
    content   text NOT NULL,
    embedding vector NOT NULL,
    words     tsvector NOT NULL
)

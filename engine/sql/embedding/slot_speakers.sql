-- Purpose: who speaks in each session of a node: names that are not embedded. Identifier: schema. Parameters: none.
-- Returns: session, speakers.
SELECT session, array_agg(DISTINCT speaker) AS speakers FROM {schema}.memory_items WHERE speaker <> '' GROUP BY session LIMIT 100000

-- Purpose: facts of a node that stand in no chain, in the order in which they were said. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: version (of the vectors), most. Returns: item_id, record_id, content, subject, position, valid_from (null: from the beginning), said_at, known_from,
--   privacy, scope, scope_id, fact_type, category, vector (text; null where it is not there).
SELECT i.item_id, i.record_id, i.content, coalesce(nullif(i.subjects[1], ''), i.content) AS subject, i.position,
       nullif(i.valid_from, '-infinity') AS valid_from, t.occurred_at AS said_at, i.known_from, i.privacy, i.scope, i.scope_id, i.section AS fact_type, i.category,
       CASE WHEN i.{embedding_version} = %(version)s THEN i.{embedding}::text END AS vector
FROM {schema}.memory_items AS i
LEFT JOIN LATERAL (SELECT s.speaker, s.occurred_at FROM {schema}.memory_items AS s
                   WHERE s.record_id = i.record_id AND s.kind IN ('turn', 'chunk') AND s.version_of IS NULL AND s.position = i.position
                   ORDER BY s.item_id LIMIT 1) AS t ON true
WHERE i.kind = 'fact' AND i.category <> 'whole' AND i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL
  AND EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = i.record_id AND r.state = 'live' AND r.known_to IS NULL)
  AND NOT EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = i.item_id)
ORDER BY t.occurred_at NULLS LAST, i.known_from, i.item_id LIMIT %(most)s

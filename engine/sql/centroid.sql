-- name: alone
-- Purpose: one run at a time makes the centroid of a node, so that the one that looks last writes last. Service only. Parameters: node_id. Returns: nothing of use.
SELECT pg_advisory_xact_lock(hashtextextended('neurigraph centroid ' || %(node_id)s::text, 0))

-- name: make
-- Purpose: sets the centroid of a node: the mean of the unit vectors of its live items, of the active version; none where it has no such item. Service only.
-- Identifiers: schema, embedding and embedding_version (the slot). Parameters: node_id, version. Returns: items, where there are any.
WITH mean AS MATERIALIZED (
    SELECT avg(l2_normalize(i.{embedding}::vector)) AS centroid, count(*) AS items
    FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r ON r.record_id = i.record_id
    WHERE i.{embedding_version} = %(version)s AND i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL
      AND r.version_of IS NULL AND r.state = 'live' AND r.known_to IS NULL AND r.valid_to IS NULL
), gone AS (
    DELETE FROM engine.node_centroids AS c USING mean AS m WHERE c.node_id = %(node_id)s AND m.items = 0
)
INSERT INTO engine.node_centroids (node_id, version, centroid, items)
SELECT %(node_id)s, %(version)s, m.centroid, m.items FROM mean AS m WHERE m.items > 0
ON CONFLICT (node_id) DO UPDATE SET version = excluded.version, centroid = excluded.centroid, items = excluded.items
RETURNING items

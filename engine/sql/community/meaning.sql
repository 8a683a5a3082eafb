-- Purpose: what the texts that mention an entity mean, and the entities whose texts mean most nearly the same, for the user of the graph; the names of these
--   are in the graph. Parameters: entity_id, version, most (entities). Returns: the columns of EntityMeaning.
SELECT m.entity_id, m.embedding_version, m.descriptors, round(m.drift::numeric, 4)::float8 AS drift, m.items, m.rebuilt_at, near.near
FROM engine.entity_meanings AS m, LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('entity_id', o.entity_id, 'name', '', 'similarity', round((1 - o.distance)::numeric, 4))
                              ORDER BY o.distance, o.entity_id), '[]') AS near
    FROM (SELECT n.entity_id, n.centroid <=> m.centroid AS distance FROM engine.entity_meanings AS n
          WHERE n.user_id = m.user_id AND n.embedding_version = m.embedding_version AND n.entity_id <> m.entity_id
          ORDER BY distance, n.entity_id LIMIT %(most)s) AS o) AS near
WHERE m.entity_id = %(entity_id)s AND m.embedding_version = %(version)s

-- Purpose: what the texts that mention an entity mean, and the entities whose texts mean most nearly the same, for the user of the graph; the names of these
--   are in the graph. Until the next build a merged entity is described by its largest part where it was not described itself. Centroids are compared around their mean: what all of a user's texts share says nothing.
-- Parameters: joined (ids: the entity, then its parts), version, most (entities). Returns: the columns of EntityMeaning.
WITH own AS (
    SELECT m.* FROM engine.entity_meanings AS m WHERE m.entity_id = ANY (%(joined)s::uuid[]) AND m.embedding_version = %(version)s
    ORDER BY m.entity_id = (%(joined)s::uuid[])[1] DESC, m.items DESC, m.entity_id LIMIT 1
), all_of AS MATERIALIZED (
    SELECT n.entity_id, n.centroid FROM own, engine.entity_meanings AS n WHERE n.user_id = own.user_id AND n.embedding_version = own.embedding_version
), mean AS (
    SELECT avg(centroid) AS centroid FROM all_of
)
SELECT (%(joined)s::uuid[])[1] AS entity_id, o.embedding_version, o.descriptors, round(o.drift::numeric, 4)::float8 AS drift, o.items, o.rebuilt_at,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('entity_id', n.entity_id, 'name', '', 'similarity', round((1 - n.distance)::numeric, 4))
                                  ORDER BY n.distance, n.entity_id), '[]')
        FROM (SELECT a.entity_id, (a.centroid - mean.centroid) <=> (o.centroid - mean.centroid) AS distance FROM all_of AS a, mean
              WHERE a.entity_id <> ALL (%(joined)s::uuid[]) ORDER BY distance, a.entity_id LIMIT %(most)s) AS n
        WHERE n.distance <> 'NaN') AS near
FROM own AS o

-- Purpose: enters a row of each table that a job derives for a user: for the leak fuzzer, by the service. Parameters: user_id. Returns: nothing.
WITH build AS (INSERT INTO engine.derived_builds (user_id, mark, communities, built_at) VALUES (%(user_id)s, 'x', 0, now())),
     cluster AS (INSERT INTO engine.fact_clusters (cluster_id, user_id, name, size, summary, facts, changed_at)
                 VALUES (gen_random_uuid(), %(user_id)s, 'x', 1, 'x', ARRAY[gen_random_uuid()], now())),
     meaning AS (INSERT INTO engine.entity_meanings (entity_id, embedding_version, user_id, centroid, descriptors, items, rebuilt_at)
                 VALUES (gen_random_uuid(), 'x', %(user_id)s, '[1]', ARRAY[]::text[], 1, now()))
INSERT INTO engine.insights (user_id, key, kind, text, facts, relations, entities, records, known_from, built_at)
VALUES (%(user_id)s, 'x', 'pattern', 'x', ARRAY[]::uuid[], ARRAY[]::uuid[], ARRAY[]::uuid[], ARRAY[]::uuid[], now(), now())

-- name: builds
-- Purpose: how many communities the last build of each user entered in the graph, one page. Service only. Parameters: after (user_id), most. Returns: user_id, communities.
SELECT b.user_id, b.communities FROM engine.derived_builds AS b WHERE b.user_id > %(after)s ORDER BY b.user_id LIMIT %(most)s

-- name: built
-- Purpose: notes a build of a user, unless a later one was noted; others wait until this transaction ends. Service only.
-- Parameters: user_id, mark, communities (in the graph), built_at. Returns: user_id; no row where a later one was noted.
INSERT INTO engine.derived_builds (user_id, mark, communities, built_at) VALUES (%(user_id)s, %(mark)s, %(communities)s, %(built_at)s)
ON CONFLICT (user_id) DO UPDATE SET mark = EXCLUDED.mark, communities = EXCLUDED.communities, built_at = EXCLUDED.built_at
WHERE derived_builds.built_at <= EXCLUDED.built_at
RETURNING user_id

-- name: clustered
-- Purpose: the clusters of a user at the last build, with all their facts. Service only. Parameters: user_id. Returns: cluster_id, facts.
SELECT c.cluster_id, c.facts FROM engine.fact_clusters AS c WHERE c.user_id = %(user_id)s ORDER BY c.cluster_id LIMIT 10000

-- name: clusters
-- Purpose: clusters of facts, for the user of the graph, with the facts that are live still; the largest first. Parameters: cluster_id (or null: all), most (facts of each),
--   limit. Returns: cluster_id, size, changed_at, built_at, facts (ids, the strongest first).
SELECT c.cluster_id, m.size, c.changed_at, b.built_at, m.facts[1:%(most)s] AS facts
FROM engine.fact_clusters AS c
JOIN engine.derived_builds AS b ON b.user_id = c.user_id
CROSS JOIN LATERAL (
    SELECT count(*) AS size, array_agg(f.fact_id ORDER BY p.place) AS facts
    FROM unnest(c.facts) WITH ORDINALITY AS p (fact_id, place) JOIN engine.facts AS f ON f.fact_id = p.fact_id AND f.status = 'live') AS m
WHERE m.size > 1 AND (%(cluster_id)s::uuid IS NULL OR c.cluster_id = %(cluster_id)s)
ORDER BY m.size DESC, c.cluster_id LIMIT %(limit)s

-- name: clusters_gone
-- Purpose: removes the clusters of a user that a build did not find again. Service only. Parameters: user_id, kept (ids). Returns: nothing.
DELETE FROM engine.fact_clusters WHERE user_id = %(user_id)s AND cluster_id <> ALL (%(kept)s::uuid[])

-- name: clusters_kept
-- Purpose: enters the clusters of a user. Service only. Parameters: user_id, built_at, version (of the vectors), clusters (json array of {cluster_id, name, summary, facts, vector}).
-- Returns: nothing.
INSERT INTO engine.fact_clusters AS c (cluster_id, user_id, name, size, summary, facts, embedding, embedding_version, changed_at)
SELECT r.cluster_id, %(user_id)s, r.name, cardinality(r.facts), r.summary, r.facts, r.vector::vector,
       CASE WHEN r.vector IS NOT NULL THEN %(version)s::text END, %(built_at)s
FROM jsonb_to_recordset(%(clusters)s) AS r (cluster_id uuid, name text, summary text, facts uuid[], vector text)
ON CONFLICT (cluster_id) DO UPDATE
SET name = EXCLUDED.name, size = EXCLUDED.size, summary = EXCLUDED.summary, facts = EXCLUDED.facts, embedding = EXCLUDED.embedding,
    embedding_version = EXCLUDED.embedding_version,
    changed_at = CASE WHEN c.facts @> EXCLUDED.facts AND c.facts <@ EXCLUDED.facts THEN c.changed_at ELSE EXCLUDED.changed_at END
WHERE c.user_id = EXCLUDED.user_id

-- name: contradicting
-- Purpose: facts of a user that contradict each other, and those that were confirmed again and again, at most so many of both; of no thread or workflow. Service only.
-- Parameters: user_id, confirmed (so often), most. Returns: fact_id.
(SELECT f.fact_id FROM engine.facts AS f
 WHERE f.user_id = %(user_id)s AND f.status = 'live' AND f.scope = 'user' AND f.confirmations >= %(confirmed)s
 ORDER BY f.confirmations DESC, f.fact_id LIMIT %(most)s)
UNION
(SELECT p.fact_id FROM (
    SELECT f.fact_id AS one, o.fact_id AS other FROM engine.fact_doubts AS d
    JOIN engine.facts AS f ON f.fact_id = d.newer JOIN engine.facts AS o ON o.fact_id = d.older
    WHERE d.kind = 'contradicts' AND d.decision IS NULL AND f.user_id = %(user_id)s AND f.status = 'live' AND o.status = 'live' AND f.scope = 'user' AND o.scope = 'user'
    ORDER BY 1 LIMIT %(most)s) AS c, LATERAL (VALUES (c.one), (c.other)) AS p (fact_id))

-- name: copy_outdated
-- Purpose: a commit that may withdraw something of what a build read of the graph of a user: its copy for SQL is not made then. Service only.
-- Parameters: user_id, read_at. Returns: commit_id; no row where there is none.
SELECT o.commit_id FROM engine.outbox AS o
WHERE o.user_id = %(user_id)s AND o.created_at >= %(read_at)s AND engine.may_withdraw(o.kinds, o.payload) LIMIT 1

-- name: due
-- Purpose: users of whom something may be derived anew, one page: not archived, nor being forgotten, with the mark of what is stored of each now. Service only. Commits are compared
--   by time, not counted: finished ones are deleted after a while.
-- Parameters: after (user_id), version (of the embeddings), most. Returns: user_id, mark, known (the mark of the last build; null where there is none, or a commit came after it), communities (of it, or null), read_at (now).
SELECT u.user_id,
       concat_ws(' ', %(version)s::text, f.facts, f.live, f.last_known, f.last_ended, f.last_confirmed, f.confirmations, f.contradictions) AS mark,
       CASE WHEN d.last_done > b.built_at THEN NULL ELSE b.mark END AS known, b.communities, clock_timestamp() AS read_at
FROM engine.users AS u
JOIN engine.nodes AS r ON r.node_id = u.user_id AND r.state = 'live' AND NOT r.archived
LEFT JOIN engine.derived_builds AS b ON b.user_id = u.user_id
CROSS JOIN LATERAL (SELECT max(o.done_at) AS last_done FROM engine.outbox AS o WHERE o.user_id = u.user_id AND o.state = 'done') AS d
CROSS JOIN LATERAL (
    SELECT count(*) AS facts, count(*) FILTER (WHERE o.status = 'live') AS live, max(o.known_from) AS last_known, max(o.invalidated_at) AS last_ended,
           max(o.last_confirmed_at) AS last_confirmed, sum(o.confirmations) AS confirmations, 
           (SELECT count(*) FROM engine.fact_doubts AS p WHERE p.user_id = u.user_id AND p.decision IS NULL) AS contradictions
    FROM engine.facts AS o WHERE o.user_id = u.user_id) AS f
WHERE u.user_id > %(after)s AND u.forgotten_at IS NULL
ORDER BY u.user_id LIMIT %(most)s

-- name: entities_known
-- Purpose: makes the copy of a user's entities what a build read of them. Service only. Parameters: user_id, read_at, kept (entity ids), entities (json array of
--   {entity_id, name, kind, mentions, nodes, last_mentioned_at}). Returns: nothing.
WITH gone AS (DELETE FROM engine.known_entities AS e WHERE e.user_id = %(user_id)s AND e.entity_id <> ALL (%(kept)s::uuid[]))
INSERT INTO engine.known_entities (entity_id, user_id, name, kind, mentions, nodes, last_mentioned_at, read_at)
SELECT r.entity_id, %(user_id)s, r.name, r.kind, r.mentions, r.nodes, r.last_mentioned_at, %(read_at)s
FROM jsonb_to_recordset(%(entities)s) AS r (entity_id uuid, name text, kind text, mentions integer, nodes integer, last_mentioned_at timestamptz)
ON CONFLICT (entity_id) DO UPDATE
SET name = EXCLUDED.name, kind = EXCLUDED.kind, mentions = EXCLUDED.mentions, nodes = EXCLUDED.nodes, last_mentioned_at = EXCLUDED.last_mentioned_at, read_at = EXCLUDED.read_at

-- name: facts
-- Purpose: the newest live facts of a user with their vectors. Service only. Parameters: user_id, column and version (of the vectors), most.
-- Returns: fact_id, content, subjects, confirmations, known_from, vector (as vector_send gives it); those confirmed most often and then the newest first.
SELECT f.fact_id, f.content, f.subjects, f.confirmations, f.known_from, f.vector
FROM engine.fact_vectors(%(user_id)s::uuid, %(column)s::text, %(version)s::text, %(most)s::integer) AS f
ORDER BY f.confirmations DESC, f.known_from DESC, f.fact_id LIMIT 100000

-- name: insights
-- Purpose: insights, for the user of the graph, those found last first; of those that hold only such whose facts are live, of those that are over such of whose facts none is
--   withdrawn. Parameters: kind (or null: all), ended (also those that are over), limit.
-- Returns: the columns of Insight.
SELECT i.insight_id, i.kind, i.text, i.facts, i.relations, i.entities, i.records, i.known_from, i.known_to, i.built_at
FROM engine.insights AS i
WHERE (%(kind)s::text IS NULL OR i.kind = %(kind)s) AND (%(ended)s OR i.known_to IS NULL)
  AND NOT EXISTS (
      SELECT FROM unnest(i.facts) AS w (fact_id) WHERE NOT EXISTS (
          SELECT FROM engine.facts AS f WHERE f.fact_id = w.fact_id AND CASE WHEN i.known_to IS NULL THEN f.status = 'live' ELSE f.status <> 'withdrawn' END))
ORDER BY i.known_from DESC, i.insight_id DESC LIMIT %(limit)s

-- name: insights_kept
-- Purpose: makes the insights of a user those that a build found. Service only. Parameters: user_id, found (json array: see engine.keep_insights), kinds, now. Returns: insights
--   (how many hold).
SELECT engine.keep_insights(%(user_id)s::uuid, %(found)s, %(kinds)s::text[], %(now)s::timestamptz) AS insights

-- name: items
-- Purpose: texts and vectors of items of a user. Service only. Parameters: user_id, nodes and items (of one length), column and version (of the vectors).
-- Returns: item_id, content, vector (as vector_send gives it).
SELECT i.item_id, i.content, i.vector
FROM engine.item_vectors(%(user_id)s::uuid, %(nodes)s::uuid[], %(items)s::uuid[], %(column)s::text, %(version)s::text) AS i LIMIT 100000

-- name: meaning
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

-- name: meanings_gone
-- Purpose: removes what the texts of other entities than these mean, of one version, and of versions that are there no more. Service only. Parameters: user_id, version, kept
--   (entity ids). Returns: nothing.
DELETE FROM engine.entity_meanings AS m
WHERE m.user_id = %(user_id)s AND (m.embedding_version = %(version)s AND m.entity_id <> ALL (%(kept)s::uuid[])
      OR NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = m.embedding_version AND v.slot IS NOT NULL))

-- name: meanings_kept
-- Purpose: enters what the texts of entities mean. Service only. Parameters: user_id, version, built_at, meanings (json array of {entity_id, centroid, descriptors, drift, items}).
-- Returns: nothing.
INSERT INTO engine.entity_meanings (entity_id, embedding_version, user_id, centroid, descriptors, drift, items, rebuilt_at)
SELECT r.entity_id, %(version)s, %(user_id)s, r.centroid::vector, r.descriptors, r.drift, r.items, %(built_at)s
FROM jsonb_to_recordset(%(meanings)s) AS r (entity_id uuid, centroid text, descriptors text[], drift real, items integer)
ON CONFLICT (entity_id, embedding_version) DO UPDATE
SET centroid = EXCLUDED.centroid, descriptors = EXCLUDED.descriptors, drift = EXCLUDED.drift, items = EXCLUDED.items, rebuilt_at = EXCLUDED.rebuilt_at

-- name: relations_known
-- Purpose: makes the copy of a user's relations what a build read of them. Service only. Parameters: user_id, read_at, kept (relation ids), relations (json array of
--   {relation_id, relation_type, source_id, target_id, strength, confidence, since}). Returns: nothing.
WITH gone AS (DELETE FROM engine.known_relations AS e WHERE e.user_id = %(user_id)s AND e.relation_id <> ALL (%(kept)s::uuid[]))
INSERT INTO engine.known_relations (relation_id, user_id, relation_type, source_id, target_id, strength, confidence, since, read_at)
SELECT r.relation_id, %(user_id)s, r.relation_type, r.source_id, r.target_id, r.strength, r.confidence, r.since, %(read_at)s
FROM jsonb_to_recordset(%(relations)s)
     AS r (relation_id uuid, relation_type text, source_id uuid, target_id uuid, strength integer, confidence real, since text)
ON CONFLICT (relation_id) DO UPDATE
SET source_id = EXCLUDED.source_id, target_id = EXCLUDED.target_id, strength = EXCLUDED.strength, confidence = EXCLUDED.confidence, since = EXCLUDED.since,
    read_at = EXCLUDED.read_at

-- name: texts
-- Purpose: facts by their ids, for the user of the graph. Parameters: facts (ids). Returns: the columns of Fact.
SELECT f.fact_id, f.node_id, f.record_id, f.chain_id, f.text, f.category, f.subjects, f.status, f.supersedes, f.ended_by, f.contradicts, f.may_replace, f.maybe_replaced_by,
       nullif(f.valid_from, '-infinity') AS valid_from, CASE f.valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00Z'::timestamptz ELSE f.valid_to END AS valid_to,
       f.known_from, f.invalidated_at, f.last_confirmed_at, f.confirmations, f.confirmed_by, f.stale,
       round(f.confidence::numeric, 6)::float8 AS confidence, round(f.importance::numeric, 6)::float8 AS importance, f.access_count, f.last_accessed_at,
       CASE WHEN f.status = 'live' THEN (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= now()) END AS passed
FROM engine.fact_texts(%(facts)s::uuid[]) AS f ORDER BY f.fact_id LIMIT 10000

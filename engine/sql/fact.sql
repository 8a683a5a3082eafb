-- name: apart
-- Purpose: for nodes, the others of them which somebody may not read who may read the first. Parameters: nodes (ids). Returns: node_id, others (ids).
SELECT a.node_id, a.others FROM engine.nodes_apart(%(nodes)s::uuid[]) AS a LIMIT 100000

-- name: around
-- Purpose: facts of records, or some facts, with all that stands in their chains or is linked with them. Parameters: records, facts (ids), hold (whether
--   their subjects stay locked until the end of the transaction). Returns: row (json of FactRow), schema_name.
SELECT to_jsonb(c.fact) - 'graph_revision' || jsonb_build_object('doubts', c.doubts, 'holds_until', (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = (c.fact).fact_id),
                                              'valid_from', nullif((c.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (c.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (c.fact).valid_to END) AS row,
       c.schema_name
FROM engine.facts_around(%(records)s::uuid[], %(facts)s::uuid[], %(hold)s::boolean) AS c
LIMIT 100000

-- name: attributes
-- Purpose: the attributes of which live facts speak, for the user of the graph, one page. Parameters: after (key of the last one before, or empty), limit.
-- Returns: the columns of Attribute.
SELECT a.key, a.name, a.kind, a.single, a.facts, a.subjects, a.first_seen_at, a.last_seen_at
FROM engine.attributes_shown(%(after)s::text, %(limit)s::integer) AS a ORDER BY a.key LIMIT 1000

-- name: attributes_enter
-- Purpose: writes of which attributes facts speak, in the transaction that enters these. Parameters: rows (json array of fact_id, attribute, label, kind, single, holds_until, text_from, in_graph).
-- Returns: nothing.
SELECT engine.enter_attributes(%(rows)s)

-- name: behind
-- Purpose: facts of the principal's own graph that are not there as they are now, some or those of `facts`, which then count as carried there and stay locked.
-- Parameters: facts (ids; null: some), most. Returns: row (json of FactRow), text (null: it is no item of its own), subjects, speaker, private (where its record is not), known (carried before).
SELECT to_jsonb(b.fact) - 'graph_revision' || jsonb_build_object('doubts', b.doubts, 'holds_until', (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = (b.fact).fact_id),
                                              'valid_from', nullif((b.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (b.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (b.fact).valid_to END) AS row,
       b.text, b.subjects, b.speaker, b.private, b.known
FROM engine.facts_behind(%(facts)s::uuid[], %(most)s::integer) AS b ORDER BY (b.fact).record_id, (b.fact).fact_id LIMIT 10000

-- name: described
-- Purpose: the strongest facts about some subjects that all may know who read a node, for the user of the graph. Parameters: lines [{number, subject (hash),
--   node (null: any)}], most (of each), now. Returns: number, text.
SELECT f.number, f.text FROM engine.facts_described(%(lines)s, %(most)s::integer, %(now)s) AS f LIMIT 1000

-- name: doubts
-- Purpose: pairs of facts in doubt that the user of the graph did not decide, the newest first, one page. Parameters: since, newer, older (of the last pair of the
--   page before, or null), limit. Returns: kind, since, newer, older (json of DoubtedFact).
SELECT d.kind, d.since,
       jsonb_build_object('fact_id', d.newer, 'node_id', d.newer_node, 'text', d.newer_text, 'valid_from', nullif(d.newer_from, '-infinity')) AS newer,
       jsonb_build_object('fact_id', d.older, 'node_id', d.older_node, 'text', d.older_text, 'valid_from', nullif(d.older_from, '-infinity')) AS older
FROM engine.doubts_shown(%(since)s::timestamptz, %(newer)s::uuid, %(older)s::uuid, %(limit)s::integer) AS d
ORDER BY d.since DESC, d.newer, d.older LIMIT 1000

-- name: enter
-- Purpose: writes facts as they were decided, in the transaction that decided. Parameters: rows (json array of FactRow). Returns: nothing.
SELECT engine.enter_facts(%(rows)s)

-- name: follow
-- Purpose: facts whose items or records were changed by hand, as they are after it, in the transaction of the change; for the user of the graph. Parameters: node_id,
--   facts, records (ids), now. Returns: row (json of FactRow), text.
SELECT to_jsonb(f.fact) - 'graph_revision' || jsonb_build_object('doubts', f.doubts, 'holds_until', (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = (f.fact).fact_id),
                                              'valid_from', nullif((f.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (f.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (f.fact).valid_to END) AS row, f.text
FROM engine.follow_items(%(node_id)s, %(facts)s::uuid[], %(records)s::uuid[], %(now)s) AS f LIMIT 100000

-- name: in_doubt
-- Purpose: of facts, those in an undecided pair with another live fact that the principal may read. Parameters: facts (ids). Returns: the columns of DoubtShown.
SELECT d.newer, d.older, d.kind, d.newer_text, d.older_text FROM engine.facts_in_doubt(%(facts)s::uuid[]) AS d
ORDER BY d.newer_text, d.older_text, d.newer, d.older LIMIT 10000

-- name: near
-- Purpose: the chains of known facts that are near to new ones, about the same entities or subjects, which stay locked until the end of the transaction.
-- Parameters: lines (json array of {fact, subject, entity or null, at (when it begins, or null), vector}), column, version (of the vectors), most (facts near to each).
-- Returns: row (json of FactRow), schema_name, writable, content (null where it neither is live nor held when a new one begins), place (in its record), likeness (json, by new fact).
WITH near AS MATERIALIZED (SELECT * FROM engine.facts_near(%(lines)s, %(column)s, %(version)s, %(most)s)),
     chained AS MATERIALIZED (SELECT * FROM engine.facts_chained(ARRAY(SELECT near.fact_id FROM near))),
     compared AS MATERIALIZED (
         SELECT * FROM near UNION ALL
         SELECT * FROM engine.facts_held(ARRAY(SELECT (c.fact).fact_id FROM chained AS c WHERE (c.fact).status IN ('superseded', 'invalidated')),
                                         %(lines)s, %(column)s, %(version)s))
SELECT to_jsonb(c.fact) - 'graph_revision' || jsonb_build_object('doubts', c.doubts, 'holds_until', (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = (c.fact).fact_id),
                                              'valid_from', nullif((c.fact).valid_from, '-infinity'),
                                              'valid_to', CASE (c.fact).valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00+00:00' ELSE (c.fact).valid_to END) AS row,
       c.schema_name, c.writable, t.content, t.place, t.likeness
FROM chained AS c LEFT JOIN compared AS t ON t.fact_id = (c.fact).fact_id
LIMIT 100000

-- name: page
-- Purpose: facts with their texts, for the user of the graph, one page by id; or the chain of one with who confirmed it.
-- Parameters: subject (hash), node_id, status (null: any), doubt (contradicts, any or null: all), fact_id (null: not a chain), after, limit, now. Returns: the columns of Fact, confirmations in
--   confirmed_by (records), ordered by id.
SELECT f.fact_id, f.node_id, f.record_id, f.chain_id, f.text, f.category, f.subjects, f.status, f.supersedes, f.ended_by, f.contradicts, f.may_replace, f.maybe_replaced_by,
       nullif(f.valid_from, '-infinity') AS valid_from, CASE f.valid_to WHEN '-infinity' THEN '0001-01-01T00:00:00Z'::timestamptz ELSE f.valid_to END AS valid_to,
       f.known_from, f.invalidated_at, f.last_confirmed_at, f.confirmations, f.confirmed_by, f.stale,
       round(f.confidence::numeric, 6)::float8 AS confidence, round(f.importance::numeric, 6)::float8 AS importance, f.access_count, f.last_accessed_at,
       CASE WHEN f.status = 'live' THEN (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= %(now)s) END AS passed
FROM engine.facts_shown(%(subject)s::bigint, %(node_id)s::uuid, %(status)s::text, %(doubt)s::text, %(fact_id)s::uuid, %(after)s::uuid,
                        %(limit)s::integer) AS f
ORDER BY f.fact_id LIMIT 10000

-- name: read
-- Purpose: the texts of live facts, as far as the principal may read them. Parameters: facts (ids), now. Returns: the columns of KnownFact.
SELECT f.fact_id, f.record_id, f.category, f.text, nullif(f.valid_from, '-infinity') AS valid_from, f.confirmations, round(f.importance::numeric, 6)::float8 AS importance,
       (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= %(now)s) AS passed
FROM engine.facts_read(%(facts)s::uuid[]) AS f LIMIT 10000

-- name: restate
-- Purpose: writes what became of facts when a source was withdrawn or came back. Parameters: rows (json array of FactRow). Returns: nothing.
SELECT engine.restate_facts(%(rows)s)

-- name: settle
-- Purpose: makes the chains agree with what ended or came back at a node. Service only. Parameters: node_id, now. Returns: settled (rows).
SELECT engine.settle_facts(%(node_id)s, %(now)s, NULL) AS settled

-- name: stale
-- Purpose: marks live facts that nothing confirmed since a time. Service only. Parameters: since. Returns: nothing.
UPDATE engine.facts SET stale = true
WHERE status = 'live' AND NOT stale AND greatest(last_confirmed_at, coalesce(said_at, known_from)) < %(since)s

-- name: unattributed
-- Purpose: facts of a node of which it is not known yet whether they speak of an attribute, or of which another text was read. Service only. Identifiers: schema. Parameters: node_id, after (fact_id), most.
-- Returns: fact_id, content, subject, said_at, text_from.
SELECT f.fact_id, i.content, coalesce(nullif(i.subjects[1], ''), i.content) AS subject, f.said_at, i.known_from AS text_from
FROM engine.facts AS f JOIN {schema}.memory_items AS i ON i.item_id = f.fact_id
WHERE f.node_id = %(node_id)s AND f.fact_id > %(after)s AND NOT EXISTS (SELECT FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.text_from = i.known_from)
ORDER BY f.fact_id LIMIT %(most)s

-- name: unchained
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

-- name: users_behind
-- Purpose: users whose graph lacks some facts as they are now, one page. Service only. Parameters: after (user_id), most. Returns: user_id.
SELECT DISTINCT f.user_id FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
WHERE f.revision > f.graph_revision AND n.state = 'live' AND f.user_id > %(after)s ORDER BY f.user_id LIMIT %(most)s

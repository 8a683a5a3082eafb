-- name: below
-- Purpose: the nodes of subtrees, for a search, upper layers first. Only a root of a subtree that the principal may read counts: nothing tells what lies
--   below a hidden one.
-- Parameters: user_id (whose graph), roots (uuid[]), most. Returns: node_id.
SELECT n.node_id FROM engine.nodes AS n
WHERE n.user_id = %(user_id)s AND n.state = 'live'
  AND n.lineage && ARRAY(SELECT r.node_id FROM engine.nodes AS r WHERE r.user_id = %(user_id)s AND r.node_id = ANY (%(roots)s::uuid[]))
ORDER BY n.layer, n.created_at, n.node_id LIMIT %(most)s

-- name: candidates
-- Searches nodes of the principal: one scan of every node, statistics over all that was scanned, the candidates of both lists with their
-- neighbours, and what ranks them; their contents are another statement.
--
-- user_id     whose graph
-- nodes       uuid[] of the nodes to search, NULL for all that the principal may read;  without: uuid[] of damaged ones among them
-- widens      whether further nodes are searched where these may hide an answer (see search_widened);  few_items, rare_share: its limits
-- most_nodes  search at most so many nodes
-- query       the question's vector as text, NULL without one;  version: its embedding version
-- terms       integer[] of the question's terms;  kinds: text[] of the kinds of items, NULL for all
-- entities    integer[] of the entities that the question names
-- as_of, known_at   the moment on both clocks, NULL for the present;  now: the present of the engine's clock
-- sources     text[] of the sources of items, NULL for all;  scopes: text[] of those searched beside what is the user's;  filters: see search_scan
-- candidates  so many by words and so many by meaning, of turns and of the rest;  walked: so many of the rest by meaning, for the walk over entities
-- rare, named  an entity of at most so many passages leads from the nearest passages to others, from the question to its passages
-- shrink      families of fewer items than this lean on the statistics of all items
-- explain     whether found_by, items_read and nodes_readable are asked for; else they are 0
--
-- Whatever is cut or placed first by a tie is chosen by content and time, and only what has the same of both by its id: ids are random.
-- Returns one row per candidate, the earliest first: words, meaning, record_words as z-scores of the item and, shifted inside its session, of its neighbours (0 where
-- there is none; a conversation's turns may lie in several nodes), of the item also over all families (words_overall, meaning_overall); number, its place in the session; flags (1 asks, 2 follows a question, 4 opens a
-- session, 8 first person); its entities, which of them it is about (aboutness 1 or 0), of how many passages each is, and their weight (2 where a passage
-- is about it), for passages only; the bits of its tokens; found_by, the lists of best items that it is on (1 words, 2 meaning, 4 entities). Every row,
-- also the only one without an item when nothing was found, carries nodes_searched, items_searched, passages_searched, nodes_by_index (those of which
-- only what indexes gave was looked at), items_read (rows that were compared), nodes_readable (all that the principal may read), widened_by and active,
-- the embedding version that is active.
WITH moment AS (
    SELECT coalesce(%(as_of)s::timestamptz, %(now)s) AS as_of, coalesce(%(known_at)s::timestamptz, 'infinity') AS known_at,
           least(%(as_of)s::timestamptz, %(known_at)s::timestamptz) AS earliest  -- before their right, readers are shown nothing
), led AS MATERIALIZED (
    SELECT w.nodes, w.why
    FROM engine.search_widened(%(user_id)s::uuid, %(nodes)s::uuid[], %(terms)s::integer[], %(few_items)s::integer, %(rare_share)s::float8) AS w
    WHERE %(widens)s::boolean
    UNION ALL SELECT %(nodes)s::uuid[], NULL WHERE NOT %(widens)s::boolean
), places AS MATERIALIZED (
    SELECT array_agg(n.node_id) AS nodes, array_agg(n.schema_name) AS schemas
    FROM (
        SELECT f.* FROM moment AS m, led AS l,
            engine.search_nodes(%(user_id)s::uuid, l.nodes, m.as_of, m.known_at, %(most_nodes)s::integer) AS f
        WHERE m.earliest IS NULL OR coalesce(engine.reads_from(f.node_id, 'items'), engine.reads_from(f.node_id, NULL)) <= m.earliest
        UNION ALL
        SELECT f.* FROM moment AS m, led AS l,
            engine.search_younger_nodes(%(user_id)s::uuid, l.nodes, m.as_of, m.known_at, %(most_nodes)s::integer) AS f
        WHERE %(known_at)s::timestamptz IS NOT NULL
    ) AS n WHERE n.node_id <> ALL (%(without)s::uuid[])
), scanned AS MATERIALIZED (
    SELECT s.*, CASE s.kind WHEN 'turn' THEN 'turn' WHEN 'chunk' THEN 'passage' ELSE 'fact' END AS family
    FROM moment AS m, places AS p, engine.search_vectors(%(user_id)s::uuid, p.nodes, %(terms)s::integer[], %(scopes)s::text[]) AS v,
         engine.search_scan(p.nodes, p.schemas, %(query)s::vector, %(version)s::text, v.items, v.records,
                            %(kinds)s::text[], %(sources)s::text[], %(scopes)s::text[], m.as_of, m.known_at, %(filters)s::jsonb) AS s
), counted AS (  -- what was sampled in a large node stands for several
    SELECT family, weight, count(*) AS items, count(meaning) AS meant, avg(words) AS words, var_pop(words) AS words_var, avg(meaning) AS meaning,
           var_pop(meaning) AS meaning_var, avg(record_words) AS record_words, var_pop(record_words) AS record_words_var
    FROM scanned WHERE weight > 0 GROUP BY family, weight
), means AS (
    SELECT family, sum(weight * items) AS items, sum(weight * meant) AS meant, sum(weight * items * words) / sum(weight * items) AS words,
           sum(weight * items * (words_var + words ^ 2)) / sum(weight * items) AS words_squared,
           sum(weight * meant * meaning) / nullif(sum(weight * meant), 0) AS meaning,
           sum(weight * meant * (meaning_var + meaning ^ 2)) / nullif(sum(weight * meant), 0) AS meaning_squared,
           sum(weight * items * record_words) / sum(weight * items) AS record_words,
           sum(weight * items * (record_words_var + record_words ^ 2)) / sum(weight * items) AS record_words_squared
    FROM counted GROUP BY GROUPING SETS ((family), ())
), statistics AS MATERIALIZED (
    SELECT family, coalesce(round(items), 0)::bigint AS items, words, greatest(0, words_squared - words ^ 2) AS words_var, meaning,
           greatest(0, meaning_squared - meaning ^ 2) AS meaning_var, record_words, greatest(0, record_words_squared - record_words ^ 2) AS record_words_var
    FROM means
), overall AS (
    SELECT * FROM statistics WHERE family IS NULL
), families AS (
    SELECT s.family, s.items, s.share * coalesce(s.words, o.words) + (1 - s.share) * o.words AS words,
           sqrt(s.share * coalesce(s.words_var, o.words_var) + (1 - s.share) * o.words_var) AS words_spread,
           s.share * coalesce(s.meaning, o.meaning) + (1 - s.share) * o.meaning AS meaning,
           sqrt(s.share * coalesce(s.meaning_var, o.meaning_var) + (1 - s.share) * o.meaning_var) AS meaning_spread,
           s.share * coalesce(s.record_words, o.record_words) + (1 - s.share) * o.record_words AS record_words,
           sqrt(s.share * coalesce(s.record_words_var, o.record_words_var) + (1 - s.share) * o.record_words_var)
               AS record_words_spread
    FROM overall AS o, (
        SELECT *, CASE WHEN items >= %(shrink)s::integer THEN 1 ELSE coalesce(items, 0) / %(shrink)s::float8 END AS share
        FROM (SELECT DISTINCT family FROM scanned) AS f LEFT JOIN statistics USING (family)) AS s  -- a sample may have none of a family
), met AS MATERIALIZED (  -- entities of passages and facts
    SELECT e AS entity, count(*)::integer AS passages, (count(*) + count(*) FILTER (WHERE e = ANY (s.about)))::integer AS weight
    FROM scanned AS s, unnest(s.entities) AS e WHERE s.family <> 'turn' GROUP BY e
), bridges AS MATERIALIZED (
    SELECT m.entity FROM met AS m WHERE m.passages BETWEEN 2 AND %(rare)s::integer AND m.entity IN (
        SELECT unnest(n.entities) FROM (
            SELECT entities FROM scanned WHERE family <> 'turn' AND meaning IS NOT NULL ORDER BY meaning DESC, words DESC, position, occurred_at, item_id LIMIT 10) AS n)
    UNION
    SELECT m.entity FROM met AS m WHERE m.passages <= %(named)s::integer AND m.entity = ANY (%(entities)s::integer[])
), best AS MATERIALIZED (
    (SELECT item_id, session, family, 1 AS list FROM scanned WHERE family = 'turn' AND words > 0
     ORDER BY words DESC, meaning DESC NULLS LAST, position, occurred_at, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family, 2 AS list FROM scanned WHERE family = 'turn' AND meaning IS NOT NULL
     ORDER BY meaning DESC, words DESC, position, occurred_at, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family, 1 AS list FROM scanned WHERE family <> 'turn' AND words > 0
     ORDER BY words DESC, meaning DESC NULLS LAST, position, occurred_at, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family, 2 AS list FROM scanned WHERE family <> 'turn' AND meaning IS NOT NULL
     ORDER BY meaning DESC, words DESC, position, occurred_at, item_id LIMIT %(walked)s::integer)
    UNION
    (SELECT item_id, session, family, 4 AS list FROM scanned
     WHERE CASE WHEN family <> 'turn' THEN entities && ARRAY(SELECT entity FROM bridges) END  -- the costly part last
     ORDER BY entities && %(entities)s::integer[] DESC, meaning DESC NULLS LAST, words DESC, position, occurred_at, item_id LIMIT 2 * %(walked)s::integer)
), centred AS MATERIALIZED (
    SELECT s.place, s.item_id, s.kind, s.family, s.session, s.position, s.speaker, s.occurred_at, s.dates, s.flags, s.word_count, s.time_expressions,
           s.entities, s.about, s.tokens,
           s.item_id IN (SELECT item_id FROM best) AS chosen,
           coalesce((s.words - f.words) / nullif(f.words_spread, 0), 0) AS words,
           coalesce((s.meaning - f.meaning) / nullif(f.meaning_spread, 0), 0) AS meaning,
           coalesce((s.record_words - f.record_words) / nullif(f.record_words_spread, 0), 0) AS record_words,
           s.words > 0 AS has_words, s.meaning AS cosine,
           coalesce((s.words - o.words) / nullif(sqrt(o.words_var), 0), 0) AS words_overall,
           coalesce((s.meaning - o.meaning) / nullif(sqrt(o.meaning_var), 0), 0) AS meaning_overall
    FROM scanned AS s JOIN families AS f USING (family) CROSS JOIN overall AS o
    WHERE (s.session, s.family) IN (SELECT session, family FROM best)
), placed AS (
    SELECT c.*, row_number() OVER talk AS number,
           coalesce(lag(words) OVER talk, 0) AS words_previous, coalesce(lag(words, 2) OVER talk, 0) AS words_previous2,
           coalesce(lead(words) OVER talk, 0) AS words_next,
           coalesce(lag(meaning) OVER talk, 0) AS meaning_previous, coalesce(lead(meaning) OVER talk, 0) AS meaning_next,
           chosen OR family = 'turn' AND (coalesce(lag(chosen) OVER talk, false) OR coalesce(lag(chosen, 2) OVER talk, false)
               OR coalesce(lead(chosen) OVER talk, false) OR coalesce(lead(chosen, 2) OVER talk, false)) AS candidate
    FROM centred AS c
    WINDOW talk AS (PARTITION BY family, session ORDER BY position, word_count DESC, meaning DESC, words DESC, item_id)  -- of one position: the parts of a long turn
), found AS (
    SELECT p.nodes[c.place] AS node_id, c.item_id, c.kind, c.family, c.session, c.position, c.number, c.words, c.words_previous, c.words_previous2, c.words_next,
           c.meaning, c.meaning_previous, c.meaning_next, c.record_words, c.has_words, c.cosine, c.words_overall, c.meaning_overall,
           c.speaker, c.occurred_at, c.dates, c.flags, c.word_count, c.time_expressions, c.entities,
           CASE WHEN c.family <> 'turn' THEN w.aboutness END AS aboutness, w.passages, w.weights, c.tokens, coalesce(b.found_by, 0) AS found_by
    FROM places AS p, (SELECT * FROM placed WHERE candidate ORDER BY chosen DESC LIMIT 11 * %(candidates)s::integer + 3 * %(walked)s::integer) AS c
    LEFT JOIN LATERAL (
        SELECT array_agg((u.e = ANY (c.about))::integer ORDER BY u.place) AS aboutness, array_agg(m.passages ORDER BY u.place) AS passages,
               array_agg(m.weight ORDER BY u.place) AS weights
        FROM unnest(c.entities) WITH ORDINALITY AS u (e, place) JOIN met AS m ON m.entity = u.e WHERE c.family <> 'turn') AS w ON true
    LEFT JOIN (SELECT item_id, bit_or(list) AS found_by FROM best WHERE %(explain)s::boolean GROUP BY item_id) AS b ON b.item_id = c.item_id
), readable AS (
    SELECT count(*) AS nodes FROM moment AS m, engine.search_nodes(%(user_id)s::uuid, NULL, m.as_of, m.known_at, 1000000) AS f
    WHERE %(explain)s::boolean
      AND (m.earliest IS NULL OR coalesce(engine.reads_from(f.node_id, 'items'), engine.reads_from(f.node_id, NULL)) <= m.earliest)
)
SELECT coalesce(array_length(p.nodes, 1), 0) AS nodes_searched, o.items AS items_searched,
       coalesce((SELECT sum(f.items) FROM families AS f WHERE f.family <> 'turn'), 0)::bigint AS passages_searched, engine.active_embeddings() AS active,
       l.why AS widened_by,
       ARRAY(SELECT p.nodes[s.place] FROM (SELECT DISTINCT place FROM scanned WHERE weight <> 1) AS s) AS nodes_by_index,
       CASE WHEN %(explain)s::boolean THEN (SELECT count(*) FROM scanned) ELSE 0 END AS items_read, r.nodes AS nodes_readable, f.*
FROM places AS p CROSS JOIN led AS l CROSS JOIN overall AS o CROSS JOIN readable AS r LEFT JOIN found AS f ON true
ORDER BY f.occurred_at, f.position, f.meaning DESC, f.words DESC, f.number, f.item_id

-- name: contents
-- Purpose: the contents of the items that a search shows: texts, their record and its file, the path of their node.
-- Parameters: nodes and items (uuid[] of one length: each item as the scan named it, with its node), as_of and known_at (NULL for the present), now.
-- Returns: node_id, row_id (the item as the scan named it), path, passed (when the day of its plan was over), and the columns of engine.search_contents; no row for an item that is gone.
WITH moment AS (
    SELECT coalesce(%(as_of)s::timestamptz, %(now)s) AS as_of, coalesce(%(known_at)s::timestamptz, 'infinity') AS known_at
), places AS MATERIALIZED (
    SELECT n.node_id, n.schema_name, n.lineage, array_agg(a.item_id) AS items
    FROM unnest(%(nodes)s::uuid[], %(items)s::uuid[]) AS a (node_id, item_id) JOIN engine.nodes AS n USING (node_id)
    GROUP BY n.node_id, n.schema_name, n.lineage
)
SELECT p.node_id, t.row_id, t.item_id, t.record_id, t.source_ref, t.content, t.section, t.record_title, t.record_summary, t.content_type,
       t.file_id, t.file_name, t.file_state, t.scope, t.scope_id, t.source,
       CASE WHEN %(as_of)s::timestamptz IS NULL AND %(known_at)s::timestamptz IS NULL  -- names that may be read
            THEN (SELECT array_agg(above.name ORDER BY above.layer) FROM engine.nodes AS above WHERE above.node_id = ANY (p.lineage))
            ELSE engine.path_at(p.node_id, m.as_of, m.known_at) END AS path,
       (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = t.item_id AND a.holds_until <= m.as_of) AS passed
FROM moment AS m, places AS p, engine.search_contents(p.schema_name, p.items, m.as_of, m.known_at) AS t

-- name: decayed
-- Purpose: the best items by meaning × confidence × decay by age, of all that the principal may read.
-- Parameters: as the candidates of a search (user_id, nodes, without, most_nodes, query, version, kinds, sources, scopes, filters, as_of, known_at, now), and
--   days (the age at which an item counts half), confidence (the least one), limit.
-- Returns: the columns of engine.search_decayed, best first; one row without an item where nothing was found.
SELECT d.*
FROM engine.search_decayed(%(user_id)s::uuid, %(nodes)s::uuid[], %(without)s::uuid[], %(most_nodes)s::integer, %(query)s::vector, %(version)s::text,
                           %(days)s::float8, %(confidence)s::float8, %(kinds)s::text[], %(sources)s::text[], %(scopes)s::text[],
                           coalesce(%(as_of)s::timestamptz, %(now)s), %(known_at)s::timestamptz, least(%(as_of)s::timestamptz, %(known_at)s::timestamptz),
                           %(filters)s::jsonb, %(limit)s::integer) AS d

-- name: touchable
-- Purpose: which of these items and records of a node the principal may read. Parameters: schema; ids uuid[]. Returns: id, is_item.
SELECT item_id AS id, true AS is_item FROM {schema}.memory_items WHERE item_id = ANY (%(ids)s)
UNION ALL
SELECT record_id, false FROM {schema}.metadata_records WHERE record_id = ANY (%(ids)s)

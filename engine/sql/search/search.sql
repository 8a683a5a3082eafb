-- Searches nodes of the principal: one scan of every node, statistics over all that was scanned, the candidates of both lists
-- with their neighbours, and their contents.
--
-- user_id     whose graph
-- nodes       uuid[] of the nodes to search, NULL for all that the principal may read;  without: uuid[] of damaged ones among them
-- most_nodes  search at most so many nodes
-- query       the question's vector as text, NULL without one;  version: its embedding version
-- terms       integer[] of the question's terms;  kinds: text[] of the kinds of items, NULL for all
-- as_of, known_at   the moment on both clocks, NULL for the present;  now: the present of the engine's clock
-- sources     text[] of the sources of items, NULL for all;  scopes: text[] of those searched beside what is the user's
-- candidates  so many by words and so many by meaning, per family
-- shrink      families of fewer items than this lean on the statistics of all items
--
-- Returns one row per candidate: words, meaning, record_words as z-scores of the item and, shifted inside its session,
-- of its neighbours (0 where there is none; a conversation's turns may lie in several nodes); the item's columns. Every row, also the only one without an item when
-- nothing was found, carries nodes_searched, items_searched and active, the embedding version that is active.
WITH moment AS (
    SELECT coalesce(%(as_of)s::timestamptz, %(now)s) AS as_of, coalesce(%(known_at)s::timestamptz, 'infinity') AS known_at,
           least(%(as_of)s::timestamptz, %(known_at)s::timestamptz) AS earliest  -- before their right, readers are shown nothing
), places AS MATERIALIZED (
    SELECT array_agg(n.node_id) AS nodes, array_agg(n.schema_name) AS schemas, array_agg(n.template_version) AS templates
    FROM (
        SELECT f.* FROM moment AS m,
            engine.search_nodes(%(user_id)s::uuid, %(nodes)s::uuid[], m.as_of, m.known_at, %(most_nodes)s::integer) AS f
        WHERE m.earliest IS NULL OR coalesce(engine.reads_from(f.node_id, 'items'), engine.reads_from(f.node_id, NULL)) <= m.earliest
        UNION ALL
        SELECT f.* FROM moment AS m,
            engine.search_younger_nodes(%(user_id)s::uuid, %(nodes)s::uuid[], m.as_of, m.known_at, %(most_nodes)s::integer) AS f
        WHERE %(known_at)s::timestamptz IS NOT NULL
    ) AS n WHERE n.node_id <> ALL (%(without)s::uuid[])
), scanned AS MATERIALIZED (
    SELECT s.*, CASE s.kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS family
    FROM moment AS m, places AS p, engine.search_vectors(p.schemas, %(terms)s::integer[], %(scopes)s::text[]) AS v,
         engine.search_scan(p.nodes, p.schemas, p.templates, %(query)s::vector, %(version)s::text, v.items, v.records,
                            %(kinds)s::text[], %(sources)s::text[], %(scopes)s::text[], m.as_of, m.known_at) AS s
), overall AS (
    SELECT count(*) AS items, avg(words) AS words, var_pop(words) AS words_var, avg(meaning) AS meaning,
           var_pop(meaning) AS meaning_var, avg(record_words) AS record_words, var_pop(record_words) AS record_words_var
    FROM scanned
), families AS (
    SELECT s.family, s.share, s.share * s.words + (1 - s.share) * o.words AS words,
           sqrt(s.share * s.words_var + (1 - s.share) * o.words_var) AS words_spread,
           s.share * coalesce(s.meaning, o.meaning) + (1 - s.share) * o.meaning AS meaning,
           sqrt(s.share * coalesce(s.meaning_var, o.meaning_var) + (1 - s.share) * o.meaning_var) AS meaning_spread,
           s.share * coalesce(s.record_words, o.record_words) + (1 - s.share) * o.record_words AS record_words,
           sqrt(s.share * coalesce(s.record_words_var, o.record_words_var) + (1 - s.share) * o.record_words_var)
               AS record_words_spread
    FROM overall AS o, (
        SELECT family, CASE WHEN count(*) >= %(shrink)s::integer THEN 1 ELSE count(*) / %(shrink)s::float8 END AS share,
               avg(words) AS words, var_pop(words) AS words_var, avg(meaning) AS meaning, var_pop(meaning) AS meaning_var,
               avg(record_words) AS record_words, var_pop(record_words) AS record_words_var
        FROM scanned GROUP BY family) AS s
), best AS MATERIALIZED (
    (SELECT item_id, session, family FROM scanned WHERE family = 'turn' AND words > 0
     ORDER BY words DESC, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family FROM scanned WHERE family = 'turn' AND meaning IS NOT NULL
     ORDER BY meaning DESC, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family FROM scanned WHERE family = 'passage' AND words > 0
     ORDER BY words DESC, item_id LIMIT %(candidates)s::integer)
    UNION
    (SELECT item_id, session, family FROM scanned WHERE family = 'passage' AND meaning IS NOT NULL
     ORDER BY meaning DESC, item_id LIMIT %(candidates)s::integer)
), centred AS MATERIALIZED (
    SELECT s.node_id, s.schema_name, s.item_id, s.kind, s.family, s.session, s.position,
           EXISTS (SELECT FROM best AS b WHERE b.item_id = s.item_id) AS chosen,
           coalesce((s.words - f.words) / nullif(f.words_spread, 0), 0) AS words,
           coalesce((s.meaning - f.meaning) / nullif(f.meaning_spread, 0), 0) AS meaning,
           coalesce((s.record_words - f.record_words) / nullif(f.record_words_spread, 0), 0) AS record_words,
           s.words > 0 AS has_words, s.meaning AS cosine
    FROM scanned AS s JOIN families AS f USING (family)
    WHERE (s.session, s.family) IN (SELECT session, family FROM best)
), placed AS (
    SELECT c.*,
           coalesce(lag(words) OVER talk, 0) AS words_previous, coalesce(lag(words, 2) OVER talk, 0) AS words_previous2,
           coalesce(lead(words) OVER talk, 0) AS words_next,
           coalesce(lag(meaning) OVER talk, 0) AS meaning_previous, coalesce(lead(meaning) OVER talk, 0) AS meaning_next,
           chosen OR coalesce(lag(chosen) OVER talk, false) OR coalesce(lag(chosen, 2) OVER talk, false)
               OR coalesce(lead(chosen) OVER talk, false) AS candidate
    FROM centred AS c
    WINDOW talk AS (PARTITION BY family, session ORDER BY position, item_id)
), candidates AS MATERIALIZED (
    SELECT * FROM placed WHERE candidate LIMIT 8 * %(candidates)s::integer
), contents AS MATERIALIZED (
    SELECT g.schema_name, t.*
    FROM moment AS m, (SELECT schema_name, array_agg(item_id) AS items FROM candidates GROUP BY schema_name) AS g
    JOIN (SELECT unnest(schemas) AS schema_name, unnest(templates) AS template FROM places) AS p USING (schema_name)
    CROSS JOIN LATERAL engine.search_contents(g.schema_name, p.template, g.items, m.as_of, m.known_at) AS t
), ways AS MATERIALIZED (
    SELECT c.node_id, CASE WHEN %(as_of)s::timestamptz IS NULL AND %(known_at)s::timestamptz IS NULL
                           THEN (SELECT array_agg(p.name ORDER BY p.layer) FROM engine.nodes AS p WHERE p.node_id = ANY (c.lineage))
                           ELSE engine.path_at(c.node_id, m.as_of, m.known_at) END AS path
    FROM moment AS m, engine.nodes AS c WHERE c.node_id = ANY (ARRAY(SELECT node_id FROM candidates))  -- names that may be read
), found AS (
    SELECT c.node_id, w.path, c.kind, c.family, c.session, c.position, c.words, c.words_previous, c.words_previous2, c.words_next,
           c.meaning, c.meaning_previous, c.meaning_next, c.record_words, c.has_words, c.cosine,
           t.item_id, t.record_id, t.source_ref, t.speaker, t.content, t.occurred_at, t.dates, t.is_question, t.previous_has_question,
           t.first_of_session, t.first_person, t.word_count, t.time_expressions, t.section, t.record_title, t.record_summary,
           t.content_type, t.file_id, t.file_name, t.file_state, t.scope, t.scope_id, t.source
    FROM candidates AS c JOIN contents AS t ON t.schema_name = c.schema_name AND t.row_id = c.item_id JOIN ways AS w USING (node_id)
)
SELECT coalesce(array_length(p.nodes, 1), 0) AS nodes_searched, o.items AS items_searched,
       engine.active_embeddings() AS active, f.*
FROM places AS p CROSS JOIN overall AS o LEFT JOIN found AS f ON true

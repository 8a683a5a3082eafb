-- name: at
-- Purpose: what an item was at a moment, and what it is. Identifier: schema.
-- Parameters: node_id, subject_id, as_of, known_at (null: all that is known), earliest (of these two, where they are asked for, else the end of time). Returns: revision, own (state of its own row), since (null: from
--   the beginning), known_from (of the earliest slice), state (at the moment; null where it was not there), access_count and
--   last_accessed_at, record_id and resource_id (the input that it came in with; all of the user only); none when missing or hidden.
WITH slices AS (
    SELECT s.*, jsonb_build_object(
               'content', s.content, 'category', s.category, 'tags', s.tags, 'subjects', s.subjects,
               'confidence', round(s.confidence::numeric, 6), 'importance', round(s.importance::numeric, 6),
               'scope', s.scope, 'scope_id', s.scope_id, 'source', s.source,
               'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS fields
    FROM {schema}.memory_items AS s
    WHERE (s.item_id = %(subject_id)s AND s.version_of IS NULL OR s.version_of = %(subject_id)s) AND EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id AND r.state = 'live')
)
SELECT own.revision, own.fields AS own,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since, (SELECT min(e.known_from) FROM slices AS e) AS known_from,
       (SELECT s.fields FROM slices AS s
        WHERE s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
          AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
          AND EXISTS (SELECT FROM {schema}.metadata_records AS r  -- its record had not ended then; an item may begin before its record, as a fact of years ago
                      WHERE (r.record_id = s.record_id OR r.version_of = s.record_id) AND (r.valid_to IS NULL OR r.valid_to > %(as_of)s::timestamptz)
                        AND r.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity')
                        AND (r.known_to IS NULL OR r.known_to > coalesce(%(known_at)s::timestamptz, 'infinity')))
          AND (engine.reads_whole_past(%(node_id)s)
               OR greatest(s.moved_at, (SELECT r.moved_at FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id), engine.reads_from(%(node_id)s, 'items')) <= %(earliest)s)
        LIMIT 1) AS state,
       CASE WHEN engine.owns(%(node_id)s) THEN own.access_count END AS access_count, CASE WHEN engine.owns(%(node_id)s) THEN own.last_accessed_at END AS last_accessed_at,
       CASE WHEN engine.owns(%(node_id)s) THEN own.record_id END AS record_id, (SELECT r.resource_id FROM engine.raw_resources AS r
                       WHERE r.record_id = own.record_id AND r.received_at < coalesce(own.known_to, 'infinity')  -- the last version of a document that had it
                       ORDER BY r.received_at DESC LIMIT 1) AS resource_id
FROM slices AS own WHERE own.version_of IS NULL

-- name: captions
-- Purpose: the first words of items, of their own rows, and whether they hold. Identifier: schema. Parameters: items (ids).
-- Returns: item_id, content, holds.
SELECT i.item_id, left(i.content, 300) AS content, i.known_to IS NULL AND (i.valid_to IS NULL OR i.valid_to > now()) AS holds
FROM {schema}.memory_items AS i WHERE i.item_id = ANY (%(items)s::uuid[]) LIMIT 10000

-- name: counted
-- Purpose: how many items a record has brought, those that ended among them, without facts that hold a whole input. Identifier: schema.
-- Parameters: record_id. Returns: items.
SELECT count(*) AS items FROM {schema}.memory_items
WHERE record_id = %(record_id)s AND version_of IS NULL AND category <> 'whole'

-- name: derived_ending
-- Purpose: what was derived from a record and still holds, locked in the order of ids: it ends with the version of the document. Identifier: schema.
-- Parameters: record_id. Returns: item_id, revision, known_from (of the newest slice), terms, unit, privacy, scope, whole (whether it has
--   no words of its own).
SELECT item_id, revision, known_from, terms, 'passage' AS unit, privacy, scope, category = 'whole' AS whole FROM {schema}.memory_items
WHERE record_id = %(record_id)s AND kind IN ('fact', 'observation', 'summary') AND version_of IS NULL AND known_to IS NULL
ORDER BY item_id LIMIT 1000000 FOR UPDATE

-- name: ending
-- Purpose: chunks that a new version of their document has no more, locked in the order of ids until the transaction ends. Identifier: schema.
-- Parameters: items (ids). Returns: item_id, revision, known_from (of the newest slice), terms, unit, privacy, scope, whole (whether it has no words of
--   its own).
SELECT item_id, revision, known_from, terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope,
       category = 'whole' AS whole
FROM {schema}.memory_items
WHERE item_id = ANY (%(items)s::uuid[]) AND version_of IS NULL ORDER BY item_id LIMIT 1000000 FOR UPDATE

-- name: held
-- Purpose: the items of a record as they are kept, for another reading. Identifier: schema. Parameters: record_id.
-- Returns: item_id, kind, session, position, source_ref, speaker, section, occurred_at, dates, span_start, span_end, revision, whole (whether it holds a
--   whole input), content (what it began with, whatever it was changed to), holds, superseded (a renewal of the record ended it); by position.
SELECT i.item_id, i.kind, i.session, i.position, i.source_ref, i.speaker, i.section, i.occurred_at, i.dates,
       lower(i.span) AS span_start, upper(i.span) AS span_end, i.revision, i.category = 'whole' AS whole,
       CASE WHEN i.revision > 1 THEN coalesce(
           (SELECT d.payload #>> '{{fields,content,before}}' FROM {schema}.delta_log AS d
            WHERE d.subject_id = i.item_id AND d.payload #> '{{fields,content}}' IS NOT NULL ORDER BY d.revision LIMIT 1), i.content)
            ELSE i.content END AS content,
       i.known_to IS NULL AS holds,
       i.known_to IS NOT NULL AND EXISTS (SELECT FROM {schema}.delta_log AS d
                                          WHERE d.subject_id = i.record_id AND d.created_at = i.known_to
                                          AND d.payload ->> 'operation' = 'renewed') AS superseded
FROM {schema}.memory_items AS i
WHERE i.record_id = %(record_id)s AND i.version_of IS NULL ORDER BY i.position, i.item_id LIMIT 1000000

-- name: insert
-- Purpose: writes items of records, in this order. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: rows (json array of the columns), vectors, tokens and terms (one of each a row; vectors null where all are made later). Returns: nothing.
INSERT INTO {schema}.memory_items
    (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
     {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session,
     first_person, word_count, time_expressions, section, span, token_count, category, tags, subjects, confidence,
     importance, privacy, entities, about, scope, scope_id, source, created_at, known_from, valid_from)
SELECT r.item_id, r.record_id, r.kind, r.session, r.position, r.source_ref, r.speaker, r.content, decode(r.content_hash, 'hex'), r.vector,
       r.embedding_version, r.tokens, r.terms, r.occurred_at, r.dates, r.is_question, r.previous_has_question, r.first_of_session,
       r.first_person, r.word_count, r.time_expressions, r.section, int4range(r.span_start, r.span_end), r.token_count, r.category, r.tags, r.subjects,
       r.confidence, r.importance, r.privacy, r.entities, r.about, r.scope, r.scope_id, r.source, r.now, r.now, coalesce(r.valid_from, '-infinity'::timestamptz)
FROM ROWS FROM (
    jsonb_to_recordset(%(rows)s) AS (
        item_id uuid, record_id uuid, kind text, session uuid, position integer, source_ref text, speaker text, content text, content_hash text,
        embedding_version text, occurred_at timestamptz, dates text[], is_question boolean, previous_has_question boolean, first_of_session boolean,
        first_person boolean, word_count integer, time_expressions smallint, section text, span_start integer, span_end integer, token_count integer,
        category text, tags text[], subjects text[], confidence real, importance real, privacy text, entities integer[], about integer[],
        scope text, scope_id text, source text, now timestamptz, valid_from timestamptz),
    unnest(%(vectors)b::vector[]), unnest(%(tokens)b::bytea[]), unnest(%(terms)b::sparsevec[])) WITH ORDINALITY
    AS r (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, embedding_version, occurred_at, dates, is_question,
          previous_has_question, first_of_session, first_person, word_count, time_expressions, section, span_start, span_end, token_count, category,
          tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id, source, now, valid_from, vector, tokens, terms, number)
ORDER BY r.number

-- name: lock
-- Purpose: locks the item until the end of the transaction, after waiting for concurrent changes; what is read after it is
--   the newest. Identifier: schema. Parameters: subject_id. Returns: nothing of use.
SELECT revision FROM {schema}.memory_items WHERE item_id = %(subject_id)s FOR UPDATE

-- name: name
-- Purpose: which entities rows of items name, and which of these they are about, unless their text has changed meanwhile. Identifier: schema.
-- Parameters: rows (json array of item_id, content_hash, entities, about), bare (only rows that name none yet). Returns: nothing.
UPDATE {schema}.memory_items AS i SET entities = r.entities, about = r.about
FROM jsonb_to_recordset(%(rows)s) AS r (item_id uuid, content_hash text, entities integer[], about integer[])
WHERE i.item_id = r.item_id AND i.content_hash = decode(r.content_hash, 'hex')
  AND (i.entities, i.about) IS DISTINCT FROM (r.entities, r.about) AND (NOT %(bare)s OR i.entities = '{{}}')

-- name: renumber
-- Purpose: names an entity by another number in all rows that name it. Identifier: schema. Service only. Parameters: was, becomes. Returns: nothing.
UPDATE {schema}.memory_items AS i SET entities = array_replace(i.entities, %(was)s, %(becomes)s), about = array_replace(i.about, %(was)s, %(becomes)s)
WHERE i.entities @> ARRAY[%(was)s::integer]

-- name: older
-- Purpose: the rows of items of some records, in the order of these: slices, too. Identifier: schema. Service only.
-- Parameters: after (record_id), most (records). Returns: row_id, item_id, record_id, kind, whole (whether it holds a whole input), content,
--   title (of the document of a passage, else empty).
SELECT i.item_id AS row_id, coalesce(i.version_of, i.item_id) AS item_id, i.record_id, i.kind, i.category = 'whole' AS whole, i.content,
       CASE WHEN i.kind = 'chunk' THEN r.title ELSE '' END AS title
FROM (SELECT record_id, title FROM {schema}.metadata_records WHERE record_id > %(after)s AND version_of IS NULL
      ORDER BY record_id LIMIT %(most)s) AS r
JOIN {schema}.memory_items AS i USING (record_id)
ORDER BY i.record_id

-- name: place
-- Purpose: where chunks that stayed lie in the new version of their document; their meaning and words stay. Identifier: schema.
-- Parameters: items (ids), positions, starts, ends (of the span, in characters), all of one length. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET position = p.position, span = int4range(p.span_start, p.span_end)
FROM unnest(%(items)s::uuid[], %(positions)s::integer[], %(starts)s::integer[], %(ends)s::integer[])
     AS p (item_id, position, span_start, span_end)
WHERE (i.item_id = p.item_id OR i.version_of = p.item_id AND i.known_to IS NULL)
  AND (i.position, i.span) IS DISTINCT FROM (p.position, int4range(p.span_start, p.span_end))

-- name: promote
-- Purpose: writes the item of a fact that confirmed another one and takes its place: with its words and meaning, in the record that confirmed it.
--   Identifier: schema. Parameters: item_id, copied (the other item), record_id, valid_from (null: from the beginning), now. Returns: terms;
--   no row where the item is there already.
INSERT INTO {schema}.memory_items
    (item_id, record_id, kind, session, position, source_ref, speaker, content, content_hash, embedding, embedding_version, embedding_b, embedding_b_version,
     tokens, tokens_b,
     terms, occurred_at, dates, word_count, time_expressions, section, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id,
     source, created_at, known_from, valid_from)
SELECT %(item_id)s, %(record_id)s, i.kind, coalesce(t.session, i.session), coalesce(t.position, i.position), NULL, '', i.content, i.content_hash,
       i.embedding, i.embedding_version, i.embedding_b, i.embedding_b_version, i.tokens, i.tokens_b, i.terms, i.occurred_at, i.dates, i.word_count, i.time_expressions, i.section,
       i.token_count, i.category, i.tags, i.subjects, i.confidence, i.importance, i.privacy, i.entities, i.about, i.scope, i.scope_id, i.source, %(now)s, %(now)s,
       coalesce(%(valid_from)s, '-infinity'::timestamptz)
FROM {schema}.memory_items AS i
LEFT JOIN LATERAL (SELECT s.session, s.position FROM {schema}.memory_items AS s
                   WHERE s.record_id = %(record_id)s AND s.kind IN ('turn', 'chunk') AND s.version_of IS NULL ORDER BY s.position LIMIT 1) AS t ON true
WHERE i.item_id = %(copied)s
ON CONFLICT (item_id) DO NOTHING
RETURNING terms

-- name: record
-- Purpose: the record of an item. Identifier: schema. Parameters: item_id. Returns: record_id.
SELECT record_id FROM {schema}.memory_items WHERE item_id = %(item_id)s

-- name: revision
-- Purpose: counts a change of an item. Identifier: schema. Parameters: subject_id, revision. Returns: nothing.
UPDATE {schema}.memory_items SET revision = %(revision)s WHERE item_id = %(subject_id)s

-- name: reworded
-- Purpose: what is searched of rows of an item whose content is new. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: rows, embedding, embedding_version, tokens, terms, content_hash, dates, word_count, token_count. Returns: nothing.
UPDATE {schema}.memory_items
SET {embedding} = %(embedding)b, {embedding_version} = %(embedding_version)s, {tokens} = %(tokens)s, terms = %(terms)b, content_hash = %(content_hash)s,
    dates = %(dates)s::text[] || ARRAY(SELECT d FROM unnest(dates) AS d WHERE d LIKE '@%%'), word_count = %(word_count)s, token_count = %(token_count)s
WHERE item_id = ANY (%(rows)s)

-- name: shown
-- Purpose: the passages of a record that hold now, with their texts where those may have been changed by hand. Identifier: schema.
-- Parameters: record_id, now. Returns: item_id, content (null: as it was stored).
SELECT coalesce(i.version_of, i.item_id) AS item_id, CASE WHEN i.version_of IS NOT NULL OR i.revision > 1 THEN i.content END AS content
FROM {schema}.memory_items AS i
WHERE i.record_id = %(record_id)s AND i.kind = 'chunk' AND i.known_to IS NULL AND i.valid_from <= %(now)s AND (i.valid_to IS NULL OR i.valid_to > %(now)s)

-- name: slice_add
-- Purpose: adds a slice of an item as a copy of another of its rows. Identifiers: schema, embedding, embedding_version and tokens (the slot).
-- Parameters: row_id (of the new slice), subject_id, copied (the row), known_to (null: until further notice). Returns: nothing.
INSERT INTO {schema}.memory_items
    (item_id, version_of, revision, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
     {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session, first_person, word_count,
     time_expressions, section, span, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id, source, superseded_by,
     access_count, last_accessed_at, created_at, valid_from, valid_to, known_from, known_to, moved_at)
SELECT %(row_id)s, %(subject_id)s, revision, record_id, kind, session, position, source_ref, speaker, content, content_hash, {embedding},
       {embedding_version}, {tokens}, terms, occurred_at, dates, is_question, previous_has_question, first_of_session, first_person, word_count,
       time_expressions, section, span, token_count, category, tags, subjects, confidence, importance, privacy, entities, about, scope, scope_id, source, superseded_by,
       access_count, last_accessed_at, created_at, valid_from, valid_to, known_from, %(known_to)s, moved_at
FROM {schema}.memory_items WHERE item_id = %(copied)s

-- name: slice_close
-- Purpose: slices of an item are known no longer. Identifier: schema. Parameters: rows, known_to. Returns: nothing.
UPDATE {schema}.memory_items SET known_to = %(known_to)s WHERE item_id = ANY (%(rows)s) AND known_to IS NULL

-- name: slice_set
-- Purpose: gives a row of an item the state and times of a slice. Identifier: schema.
-- Parameters: row_id, state (jsonb), valid_from (null: from the beginning), valid_to, known_from, known_to. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET content = s.content, category = s.category, tags = s.tags, subjects = s.subjects, confidence = s.confidence,
    importance = s.importance, occurred_at = s.occurred_at,
    dates = ARRAY(SELECT d FROM unnest(i.dates) AS d WHERE d NOT LIKE '@%%' OR i.occurred_at = s.occurred_at),  -- an offset is that of its time
    valid_from = coalesce(%(valid_from)s, '-infinity'::timestamptz), valid_to = %(valid_to)s, known_from = %(known_from)s,
    known_to = %(known_to)s
FROM jsonb_to_record(%(state)s) AS s (content text, category text, tags text[], subjects text[], confidence real, importance real,
                                      occurred_at timestamptz)
WHERE i.item_id = %(row_id)s

-- name: slices
-- Purpose: the slices of an item of a live record (`pending`: of any) that are known until further notice, and its own row. Identifier: schema.
-- Parameters: subject_id, pending. Returns: row_id, own, revision, privacy, scope, unit, state, valid_from (null: from the beginning), valid_to,
--   known_from, known_to, since (when the earliest of all its slices begins); none when missing or hidden.
WITH slices AS (
    SELECT o.* FROM {schema}.memory_items AS o WHERE o.item_id = %(subject_id)s
    UNION ALL  -- what was never changed has no others, which all rows of the node are read for
    SELECT o.* FROM {schema}.memory_items AS o
    WHERE o.version_of = %(subject_id)s AND (SELECT c.revision > 1 FROM {schema}.memory_items AS c WHERE c.item_id = %(subject_id)s)
)
SELECT s.item_id AS row_id, s.version_of IS NULL AS own, s.revision, s.privacy, s.scope,
       CASE s.kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit,
       jsonb_build_object(
           'content', s.content, 'category', s.category, 'tags', s.tags, 'subjects', s.subjects,
           'confidence', round(s.confidence::numeric, 6), 'importance', round(s.importance::numeric, 6),
           'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS state,
       nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from, s.known_to,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since
FROM slices AS s
WHERE (s.version_of IS NULL OR s.known_to IS NULL)
  AND (%(pending)s OR EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = s.record_id AND r.state = 'live'))
ORDER BY s.valid_from LIMIT 10000

-- name: supersede
-- Purpose: ends what is known of chunks and counts the change. Identifier: schema. Parameters: items (ids), known_to. Returns: nothing.
UPDATE {schema}.memory_items
SET known_to = coalesce(known_to, %(known_to)s), revision = revision + CASE WHEN version_of IS NULL THEN 1 ELSE 0 END
WHERE item_id = ANY (%(items)s::uuid[]) OR version_of = ANY (%(items)s::uuid[]) AND known_to IS NULL

-- name: terms_set
-- Purpose: gives a row of an item other terms. Identifier: schema. Service only. Parameters: row_id, terms. Returns: nothing.
UPDATE {schema}.memory_items SET terms = %(terms)b WHERE item_id = %(row_id)s

-- name: texts
-- Purpose: the texts of records, in their order: turns and passages that hold now, the facts that were read out of them, observations and summaries. Identifier: schema.
-- Parameters: records, now. Returns: record_id, item_id, row_id (of the slice that holds), kind, content, speaker, occurred_at, subjects (of a fact),
--   private (for fewer readers than its record), changed (the text is another than the one that was stored first).
SELECT i.record_id, coalesce(i.version_of, i.item_id) AS item_id, i.item_id AS row_id, i.kind, i.content, i.speaker, i.occurred_at, i.subjects,
       i.privacy = 'private' AND r.privacy <> 'private' AS private,
       CASE WHEN i.version_of IS NULL AND i.revision = 1 THEN false
            ELSE i.content_hash <> (SELECT f.content_hash FROM {schema}.memory_items AS f
                                    WHERE f.record_id = i.record_id AND coalesce(f.version_of, f.item_id) = coalesce(i.version_of, i.item_id)
                                    ORDER BY f.known_from, f.valid_from LIMIT 1) END AS changed
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r ON r.record_id = i.record_id AND r.version_of IS NULL
WHERE i.record_id = ANY (%(records)s) AND i.known_to IS NULL AND i.valid_from <= %(now)s AND (i.valid_to IS NULL OR i.valid_to > %(now)s)
  AND (i.kind <> 'fact' OR i.category <> 'whole')
ORDER BY i.record_id, i.kind = 'fact', i.session, i.position

-- name: there
-- Purpose: which of these items a node has already. Identifier: schema. Parameters: items (ids). Returns: item_id, record_id (of the record that has it).
SELECT item_id, record_id FROM {schema}.memory_items WHERE item_id = ANY (%(items)s::uuid[])

-- name: turns_of_node
-- Purpose: the newest turns that lie at a node now, for its user, without what belongs to a thread or workflow. Identifier: schema.
-- Parameters: limit, private (whether private turns, too). Returns: record_id, title, session, speaker, content, newest first.
SELECT i.record_id, r.title, i.session, i.speaker, i.content
FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE i.kind = 'turn' AND i.known_to IS NULL AND i.superseded_by IS NULL AND i.scope = 'user' AND i.version_of IS NULL
  AND (%(private)s OR i.privacy <> 'private' AND r.privacy <> 'private') AND r.state = 'live' AND r.version_of IS NULL
ORDER BY i.created_at DESC, i.session, i.position DESC
LIMIT %(limit)s

-- name: turns_sampled
-- Purpose: vectors of the turns that were stored last, a sample of a user's usual turns. Parameters: user_id, version (of the
--   embeddings), limit (about so many in all). Returns: embedding.
SELECT s.embedding FROM engine.turns_sampled(%(user_id)s::uuid, %(version)s, %(limit)s::integer) AS s LIMIT %(limit)s

-- name: whole
-- Purpose: the fact that holds the whole input of a record, of a document that of its newest version. Identifier: schema.
-- Parameters: record_id. Returns: item_id; none where a model has read all of it, or when hidden.
SELECT item_id FROM {schema}.memory_items
WHERE record_id = %(record_id)s AND kind = 'fact' AND category = 'whole' AND version_of IS NULL ORDER BY created_at DESC LIMIT 1

-- name: worded
-- Purpose: rows of items with the terms that they are found by, one page, locked until the end of the transaction: slices, too.
--   Identifier: schema. Service only. Parameters: after (row_id), most. Returns: row_id, content, terms, unit, privacy, scope, current (whether
--   the counts of the node have its words).
SELECT item_id AS row_id, content, terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope,
       version_of IS NULL AND known_to IS NULL AS current
FROM {schema}.memory_items
WHERE item_id > %(after)s AND category <> 'whole' ORDER BY item_id LIMIT %(most)s FOR UPDATE

-- name: words
-- Purpose: the words of items as the counts of their node have them, locked in the order of ids until the transaction ends: not of those that
--   are known no longer, or hold a whole input. Identifier: schema. Parameters: items (ids). Returns: terms, unit, privacy, scope.
SELECT terms, CASE kind WHEN 'turn' THEN 'turn' ELSE 'passage' END AS unit, privacy, scope
FROM {schema}.memory_items
WHERE item_id = ANY (%(items)s::uuid[]) AND version_of IS NULL AND known_to IS NULL AND category <> 'whole' ORDER BY item_id FOR UPDATE

-- name: words_copy
-- Purpose: gives a row of an item the words and meaning of another of its rows. Identifiers: schema, embedding, embedding_version and tokens (the slot). Parameters: row_id, copied. Returns: nothing.
UPDATE {schema}.memory_items AS i
SET {embedding} = o.{embedding}, {embedding_version} = o.{embedding_version}, {tokens} = o.{tokens}, terms = o.terms, content_hash = o.content_hash, dates = o.dates,
    word_count = o.word_count, token_count = o.token_count, entities = o.entities, about = o.about
FROM {schema}.memory_items AS o WHERE i.item_id = %(row_id)s AND o.item_id = %(copied)s

-- name: at
-- Purpose: what a record was at a moment, and what it is. Identifier: schema.
-- Parameters: node_id, subject_id, as_of, known_at (null: all that is known), earliest (of these two, where they are asked for, else the end of time). Returns: revision, own (state of its own row), since (null: from
--   the beginning), known_from (of the earliest slice), state (at the moment; null where it was not there), access_count (none of a record) and
--   last_accessed_at, record_id and resource_id (its newest input; all of the user only); none when missing or hidden.
WITH slices AS (
    SELECT s.*, jsonb_build_object(
               'title', s.title, 'summary', s.summary, 'kw_entities', s.kw_entities, 'kw_topics', s.kw_topics, 'kw_dates', s.kw_dates,
               'kw_relationships', s.kw_relationships,
               'scope', s.scope, 'scope_id', s.scope_id, 'source', s.source,
               'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS fields
    FROM {schema}.metadata_records AS s
    WHERE (s.record_id = %(subject_id)s AND s.version_of IS NULL OR s.version_of = %(subject_id)s) AND s.state = 'live'
)
SELECT own.revision, own.fields AS own,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since, (SELECT min(e.known_from) FROM slices AS e) AS known_from,
       (SELECT s.fields FROM slices AS s
        WHERE s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
          AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
          AND (engine.reads_whole_past(%(node_id)s)
               OR greatest(s.moved_at, engine.reads_from(%(node_id)s, 'records')) <= %(earliest)s)
        LIMIT 1) AS state,
       CASE WHEN engine.owns(%(node_id)s) THEN NULL::integer END AS access_count, CASE WHEN engine.owns(%(node_id)s) THEN own.last_accessed_at END AS last_accessed_at,
       CASE WHEN engine.owns(%(node_id)s) THEN own.record_id END AS record_id, (SELECT r.resource_id FROM engine.raw_resources AS r WHERE r.record_id = own.record_id ORDER BY r.received_at DESC LIMIT 1) AS resource_id
FROM slices AS own WHERE own.version_of IS NULL

-- name: held
-- Purpose: a record as it is kept, for another reading. Identifier: schema. Parameters: record_id.
-- Returns: content_type, trigger_type, source_id, privacy, scope, scope_id, source, file_id, file_name, file_type, media_type (of the file of its
--   newest version) and layout (where the turns stand in it, or null); none where it is missing, hidden, or holds no longer.
SELECT r.content_type, r.trigger_type, r.source_id, r.privacy, r.scope, r.scope_id, r.source, f.file_id, f.file_name, f.file_type,
       f.content_type AS media_type, (SELECT w.layout FROM engine.raw_resources AS w WHERE w.resource_id = f.file_id) AS layout
FROM {schema}.metadata_records AS r
JOIN {schema}.file_manifest AS f ON f.record_id = r.record_id AND f.storage_path = r.file_pointer
WHERE r.record_id = %(record_id)s AND r.version_of IS NULL AND r.state = 'live' AND r.known_to IS NULL LIMIT 1

-- name: holding
-- Purpose: which of these records of a node hold now. Identifier: schema. Parameters: records (ids). Returns: record_id.
SELECT r.record_id FROM {schema}.metadata_records AS r
WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.state = 'live' AND r.version_of IS NULL AND r.known_to IS NULL AND r.valid_to IS NULL
LIMIT 10000

-- name: insert
-- Purpose: writes records, not yet visible. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: rows (json array of the columns), vectors and terms (one of each a row; vectors null where all are made later). Returns: nothing.
INSERT INTO {schema}.metadata_records
    (record_id, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms, kw_entities, kw_topics, kw_dates,
     kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer, token_count, privacy, scope, scope_id, source, occurred_at,
     created_at, last_accessed_at, known_from, valid_from)
SELECT r.record_id, r.commit_id, r.title, r.summary, r.vector, r.embedding_version, r.embedding_pending, r.terms, r.kw_entities, r.kw_topics, r.kw_dates,
       r.kw_relationships, r.kw_source, r.content_type, r.trigger_type, r.source_id, r.file_pointer, r.token_count, r.privacy, r.scope, r.scope_id, r.source, r.occurred_at,
       r.now, r.now, r.now, coalesce(r.valid_from, '-infinity'::timestamptz)
FROM ROWS FROM (
    jsonb_to_recordset(%(rows)s) AS (
        record_id uuid, commit_id uuid, title text, summary text, embedding_version text, embedding_pending boolean, kw_entities text[],
        kw_topics text[], kw_dates text[], kw_relationships text[], kw_source text, content_type text, trigger_type text, source_id text,
        file_pointer text, token_count integer, privacy text, scope text, scope_id text, source text, occurred_at timestamptz, now timestamptz, valid_from timestamptz),
    unnest(%(vectors)b::vector[]), unnest(%(terms)b::sparsevec[]))
    AS r (record_id, commit_id, title, summary, embedding_version, embedding_pending, kw_entities, kw_topics, kw_dates, kw_relationships, kw_source,
          content_type, trigger_type, source_id, file_pointer, token_count, privacy, scope, scope_id, source, occurred_at, now, valid_from, vector, terms)

-- name: kept
-- Purpose: what a document's record says of itself before a new version, and the record locked until the transaction ends; what is
--   read after it is the newest. Identifier: schema. Parameters: record_id. Returns: privacy, scope, scope_id, source, terms; none when
--   missing, hidden or not yet visible.
SELECT privacy, scope, scope_id, source, terms FROM {schema}.metadata_records
WHERE record_id = %(record_id)s AND state = 'live' FOR UPDATE

-- name: lock
-- Purpose: locks the record until the end of the transaction, after waiting for concurrent changes; what is read after it is
--   the newest. Identifier: schema. Parameters: subject_id. Returns: nothing of use.
SELECT revision FROM {schema}.metadata_records WHERE record_id = %(subject_id)s FOR UPDATE

-- name: move
-- Purpose: moves a record to another node of the same graph; the principal must be able to write at both. Parameters: commit_id, record_id, from_node, to_node,
--   reason, now. Returns: payload (the graph's part of the commit), revision, moved_at; raises NG404, NG409.
SELECT payload, revision, moved_at FROM engine.move_record(%(commit_id)s, %(record_id)s, %(from_node)s, %(to_node)s, %(reason)s, %(now)s)

-- name: occurred
-- Purpose: when a document's record is dated, for a version that brings no date of its own. Identifier: schema. Parameters: record_id. Returns: occurred_at; no row where it has none.
SELECT occurred_at FROM {schema}.metadata_records WHERE record_id = %(record_id)s AND version_of IS NULL AND occurred_at IS NOT NULL

-- name: page
-- Purpose: live records of a node with their files, newest first, as they were at a moment, one page. Identifier: schema.
-- Parameters: node_id, before_time, before_id (the last row of the page before, or null), as_of, known_at (null: all that is known), earliest (of these two,
--   where they are asked for, else the end of time), limit.
-- Returns: the columns of RecordMetadata.
SELECT slice.subject_id AS record_id,
       (SELECT own.revision FROM {schema}.metadata_records AS own WHERE own.record_id = slice.subject_id) AS revision,
       slice.title, slice.summary, slice.kw_entities, slice.kw_topics, slice.kw_dates, slice.kw_relationships,
       CASE WHEN engine.owns(%(node_id)s) THEN slice.kw_source ELSE '' END AS kw_source,  -- a path may name what its reader may not know
       slice.content_type, slice.trigger_type, slice.token_count, slice.occurred_at, slice.created_at, CASE WHEN engine.owns(%(node_id)s) THEN slice.last_accessed_at END AS last_accessed_at,
       slice.embedding_pending, slice.scope, slice.scope_id, slice.source, coalesce(f.file_id, part.file_id) AS file_id,
       coalesce(f.file_name, part.file_name) AS file_name, coalesce(f.file_type, part.file_type) AS file_type,
       coalesce(f.compression_state, CASE WHEN part.file_id IS NOT NULL THEN 'active' END) AS compression_state, f.size_bytes, f.stored_bytes,
       part.file_id IS NOT NULL AS file_part,
       CASE WHEN engine.owns(%(node_id)s) THEN (SELECT e.expires_at FROM engine.expiries AS e WHERE e.record_id = slice.subject_id) END AS expires_at
FROM (SELECT s.*, coalesce(s.version_of, s.record_id) AS subject_id FROM {schema}.metadata_records AS s
      WHERE s.state = 'live'
        AND s.known_from <= coalesce(%(known_at)s::timestamptz, 'infinity') AND (s.known_to IS NULL OR s.known_to > coalesce(%(known_at)s::timestamptz, 'infinity'))
        AND s.valid_from <= %(as_of)s::timestamptz AND (s.valid_to IS NULL OR s.valid_to > %(as_of)s::timestamptz)
        AND ((SELECT engine.reads_whole_past(%(node_id)s))
             OR greatest(s.moved_at, (SELECT engine.reads_from(%(node_id)s, 'records'))) <= %(earliest)s)) AS slice
LEFT JOIN {schema}.file_manifest AS f ON f.record_id = slice.subject_id AND f.storage_path = slice.file_pointer  -- of the version at the moment
LEFT JOIN engine.part_files(%(node_id)s) AS part ON part.record_id = slice.subject_id AND part.storage_path = slice.file_pointer
WHERE %(before_time)s::timestamptz IS NULL OR (slice.created_at, slice.subject_id) < (%(before_time)s, %(before_id)s::uuid)
ORDER BY slice.created_at DESC, slice.subject_id DESC LIMIT %(limit)s

-- name: passages
-- Purpose: what a record's input says now, in its order. Parameters: record_id, node_id (where it was stored first), parts (whether those of a
--   document's other parts count, too), now (null: the database's time). Returns: the columns of ShownPassage; only those that may be seen.
SELECT p.item_id, p.kind, p.position, p.speaker, p.section, p.said_at, p.first, p.content
FROM engine.record_passages(%(record_id)s, %(node_id)s, %(parts)s, coalesce(%(now)s::timestamptz, now())) AS p ORDER BY p.position, p.item_id LIMIT 1000000

-- name: restated
-- Purpose: a live record with all its slices, to be entered in the graph again. Identifier: schema. Parameters: record_id.
-- Returns: its slices, the own one first, each beside the record's own columns and the newest version of a document; none when missing or hidden.
WITH own AS (
    SELECT r.record_id, r.commit_id, r.content_type, r.source_id, r.privacy, r.revision, r.created_at, f.file_id, f.file_name,
           (SELECT count(*) FROM {schema}.memory_items AS i
            WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
    FROM {schema}.metadata_records AS r
    LEFT JOIN {schema}.file_manifest AS f ON f.record_id = r.record_id AND f.storage_path = r.file_pointer
    WHERE r.record_id = %(record_id)s AND r.version_of IS NULL AND r.state = 'live' LIMIT 1
)
SELECT o.*, s.record_id AS slice_id, s.title, s.occurred_at, nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from,
       s.known_to, v.version, v.file_id AS version_file_id, v.file_name AS version_file_name
FROM own AS o JOIN {schema}.metadata_records AS s ON s.record_id = o.record_id OR s.version_of = o.record_id
LEFT JOIN LATERAL (SELECT d.version, d.file_id, d.file_name FROM engine.document_versions AS d
                   WHERE d.document_id = o.record_id ORDER BY d.version DESC LIMIT 1) AS v ON true
ORDER BY s.version_of IS NOT NULL, s.known_from

-- name: revision
-- Purpose: counts a change of a record. Identifier: schema. Parameters: subject_id, revision. Returns: nothing.
UPDATE {schema}.metadata_records SET revision = %(revision)s WHERE record_id = %(subject_id)s

-- name: reworded
-- Purpose: the vector of rows of a record whose summary is new. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: rows, embedding, embedding_version, embedding_pending. Returns: nothing.
UPDATE {schema}.metadata_records
SET {embedding} = %(embedding)b, {embedding_version} = %(embedding_version)s, embedding_pending = %(embedding_pending)s
WHERE record_id = ANY (%(rows)s)

-- name: slice_add
-- Purpose: adds a slice of a record as a copy of another of its rows. Identifiers: schema, embedding and embedding_version (the slot).
-- Parameters: row_id (of the new slice), subject_id, copied (the row), known_to (null: until further notice). Returns: nothing.
INSERT INTO {schema}.metadata_records
    (record_id, version_of, revision, state, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms,
     kw_entities, kw_topics, kw_dates, kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer,
     token_count, privacy, scope, scope_id, source, occurred_at, created_at, last_accessed_at, valid_from, valid_to, known_from, known_to, moved_at)
SELECT %(row_id)s, %(subject_id)s, revision, state, commit_id, title, summary, {embedding}, {embedding_version}, embedding_pending, terms,
       kw_entities, kw_topics, kw_dates, kw_relationships, kw_source, content_type, trigger_type, source_id, file_pointer,
       token_count, privacy, scope, scope_id, source, occurred_at, created_at, last_accessed_at, valid_from, valid_to, known_from, %(known_to)s, moved_at
FROM {schema}.metadata_records WHERE record_id = %(copied)s

-- name: slice_close
-- Purpose: slices of a record are known no longer. Identifier: schema. Parameters: rows, known_to. Returns: nothing.
UPDATE {schema}.metadata_records SET known_to = %(known_to)s WHERE record_id = ANY (%(rows)s) AND known_to IS NULL

-- name: slice_set
-- Purpose: gives a row of a record the state and times of a slice. Identifier: schema.
-- Parameters: row_id, state (jsonb), valid_from (null: from the beginning), valid_to, known_from, known_to. Returns: nothing.
UPDATE {schema}.metadata_records AS r
SET title = s.title, summary = s.summary, kw_entities = s.kw_entities, kw_topics = s.kw_topics, kw_dates = s.kw_dates,
    kw_relationships = s.kw_relationships, occurred_at = s.occurred_at,
    valid_from = coalesce(%(valid_from)s, '-infinity'::timestamptz), valid_to = %(valid_to)s, known_from = %(known_from)s,
    known_to = %(known_to)s
FROM jsonb_to_record(%(state)s) AS s (title text, summary text, kw_entities text[], kw_topics text[], kw_dates text[],
                                      kw_relationships text[], occurred_at timestamptz)
WHERE r.record_id = %(row_id)s

-- name: slices
-- Purpose: the slices of a live record that are known until further notice, and its own row. Identifier: schema.
-- Parameters: subject_id. Returns: row_id, own, revision, privacy, scope, unit, state, valid_from (null: from the beginning), valid_to,
--   known_from, known_to, since (when the earliest of all its slices begins); none when missing or hidden.
WITH slices AS (
    SELECT o.* FROM {schema}.metadata_records AS o WHERE o.record_id = %(subject_id)s
    UNION ALL  -- what was never changed has no others, which all rows of the node are read for
    SELECT o.* FROM {schema}.metadata_records AS o
    WHERE o.version_of = %(subject_id)s AND (SELECT c.revision > 1 FROM {schema}.metadata_records AS c WHERE c.record_id = %(subject_id)s)
)
SELECT s.record_id AS row_id, s.version_of IS NULL AS own, s.revision, s.privacy, s.scope, 'record' AS unit,
       jsonb_build_object(
           'title', s.title, 'summary', s.summary, 'kw_entities', s.kw_entities, 'kw_topics', s.kw_topics, 'kw_dates', s.kw_dates,
           'kw_relationships', s.kw_relationships,
           'occurred_at', to_char(s.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) AS state,
       nullif(s.valid_from, '-infinity') AS valid_from, s.valid_to, s.known_from, s.known_to,
       (SELECT nullif(min(e.valid_from), '-infinity') FROM slices AS e) AS since
FROM slices AS s
WHERE (s.version_of IS NULL OR s.known_to IS NULL)
  AND s.state = 'live'
ORDER BY s.valid_from LIMIT 10000

-- name: version_set
-- Purpose: gives the rows of a record that are known from now on the words and the file of its new version. Identifier: schema.
-- Parameters: rows, terms, file_pointer, token_count, embedding_pending (of the new chunks, too). Returns: nothing.
UPDATE {schema}.metadata_records
SET terms = %(terms)b, file_pointer = %(file_pointer)s, token_count = %(token_count)s,
    embedding_pending = embedding_pending OR %(embedding_pending)s
WHERE record_id = ANY (%(rows)s)

-- name: words_copy
-- Purpose: gives a row of a record the meaning of another of its rows. Identifiers: schema, embedding and embedding_version (the slot). Parameters: row_id, copied. Returns: nothing.
UPDATE {schema}.metadata_records AS r
SET {embedding} = o.{embedding}, {embedding_version} = o.{embedding_version}, embedding_pending = o.embedding_pending
FROM {schema}.metadata_records AS o WHERE r.record_id = %(row_id)s AND o.record_id = %(copied)s

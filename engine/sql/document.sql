-- name: chunks
-- Purpose: chunks of a version of a document in their order. Identifier: schema. Parameters: items (ids in that order), first (index of the
--   first of them), newest (ids of the newest version's chunks). Returns: the columns of DocumentChunk; only those that may be seen, and
--   of the newest version those that hold.
SELECT i.item_id, (%(first)s::integer + wanted.place - 1)::integer AS index, i.content, i.section, i.token_count,
       encode(i.content_hash, 'hex') AS content_hash, i.tags AS keywords,
       CASE WHEN i.item_id = ANY (%(newest)s::uuid[]) AND lower(i.span) IS NOT NULL THEN ARRAY[lower(i.span), upper(i.span)] END AS span,
       i.item_id <> ALL (%(newest)s::uuid[]) AS superseded
FROM unnest(%(items)s::uuid[]) WITH ORDINALITY AS wanted (item_id, place) JOIN {schema}.memory_items AS i USING (item_id)
WHERE i.item_id <> ALL (%(newest)s::uuid[]) OR i.known_to IS NULL AND (i.valid_to IS NULL OR i.valid_to > now())
ORDER BY wanted.place LIMIT 500

-- name: head
-- Purpose: the newest version of each part of a document, for the next one; the largest part first. Parameters: user_id, source_id (as the
--   engine keeps it). Returns: document_id, node_id, version, content_hash, chunks, chunk_hashes, known_at, schema_name; none where there is
--   none that may be seen.
SELECT d.document_id, d.node_id, v.version, v.content_hash, v.chunks, v.chunk_hashes, v.known_at, n.schema_name
FROM engine.documents AS d
CROSS JOIN LATERAL (SELECT * FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS v
JOIN engine.nodes AS n USING (node_id)
WHERE d.user_id = %(user_id)s AND d.source_id = %(source_id)s ORDER BY cardinality(v.chunks) DESC, d.document_id LIMIT 1000

-- name: insert
-- Purpose: enters a document with its first version's record. Parameters: document_id, user_id, source_id, node_id, now. Returns: nothing.
INSERT INTO engine.documents (document_id, user_id, source_id, node_id, created_at)
VALUES (%(document_id)s, %(user_id)s, %(source_id)s, %(node_id)s, %(now)s)

-- name: page
-- Purpose: documents that hold, as they are now, by id, one page. Parameters: user_id, after (an id, or null), limit.
-- Returns: the columns of StoredDocument; with the id that its source has, also where it was stored again.
SELECT d.document_id, d.node_id, regexp_replace(d.source_id, '#again[0-9]+$', '') AS source_id, engine.record_title(d.document_id, d.node_id) AS title, v.version, encode(v.content_hash, 'hex') AS content_hash, v.file_id, v.file_name,
       cardinality(v.chunks) AS chunks, d.created_at, v.known_at AS changed_at
FROM engine.documents AS d
CROSS JOIN LATERAL (SELECT * FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS v
WHERE d.user_id = %(user_id)s AND (%(after)s::uuid IS NULL OR d.document_id > %(after)s::uuid)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id)) AND engine.record_holds(d.document_id, d.node_id)
ORDER BY d.document_id LIMIT %(limit)s

-- name: part
-- Purpose: the newest version of a document, or of a part of it, by its record. Parameters: document_id.
-- Returns: version, source_id, title, content_hash, file_id, file_name, chunks, parts (of how many the document consists); none for what is
--   no document.
SELECT v.version, v.source_id, v.title, v.content_hash, v.file_id, v.file_name, v.chunks,
       (SELECT count(*) FROM engine.documents AS o WHERE o.user_id = d.user_id AND o.source_id = d.source_id) AS parts
FROM engine.documents AS d JOIN engine.document_versions AS v USING (document_id)
WHERE d.document_id = %(document_id)s ORDER BY v.version DESC LIMIT 1

-- name: part_file
-- Purpose: a file of which the principal is shown a part. Identifier: schema. Parameters: node_id, file_id.
-- Returns: node_id, file_id, record_id, name, title of the record; none where it has the file whole, or not at all.
SELECT %(node_id)s::uuid AS node_id, f.file_id, f.record_id, f.file_name AS name, r.title
FROM engine.part_files(%(node_id)s) AS f JOIN {schema}.metadata_records AS r USING (record_id)
WHERE f.file_id = %(file_id)s LIMIT 1

-- name: part_passages
-- Purpose: passages of a file that the principal is shown in part, in their order, one page.
-- Parameters: node_id, file_id, after (the last place of the page before), limit. Returns: place, section, content.
SELECT place, section, content FROM engine.part_passages(%(node_id)s, %(file_id)s, %(after)s::bigint, %(limit)s::integer)

-- name: place
-- Purpose: where a version of a document lies, and its chunks. Parameters: user_id, document_id, version (null: the newest).
-- Returns: node_id, version, file_id, chunks, newest (the chunks of the newest version); none where there is none that
--   may be seen, and of a document that was ended or withdrawn.
SELECT d.node_id, v.version, v.file_id, v.chunks,
       (SELECT n.chunks FROM engine.document_versions AS n WHERE n.document_id = d.document_id ORDER BY n.version DESC LIMIT 1) AS newest
FROM engine.documents AS d
JOIN engine.document_versions AS v USING (document_id)
WHERE d.document_id = %(document_id)s AND d.user_id = %(user_id)s AND (%(version)s::integer IS NULL OR v.version = %(version)s::integer)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id)) AND engine.record_holds(d.document_id, d.node_id)
ORDER BY v.version DESC LIMIT 1

-- name: version_insert
-- Purpose: enters a version of a document. Parameters: the columns, known_at as now. Returns: nothing.
INSERT INTO engine.document_versions
    (document_id, version, user_id, source_id, commit_id, title, content_hash, file_id, file_name, chunks, chunk_hashes, kept, added,
     superseded, authored_by, known_at)
VALUES (%(document_id)s, %(version)s, %(user_id)s, %(source_id)s, %(commit_id)s, %(title)s, %(content_hash)s, %(file_id)s, %(file_name)s,
        %(chunks)s, %(chunk_hashes)s, %(kept)s, %(added)s, %(superseded)s, %(authored_by)s, %(now)s)

-- name: versions
-- Purpose: versions of a document, the oldest first, one page. Parameters: user_id, document_id, after (a version), limit.
-- Returns: the columns of DocumentVersion; none where there is no such document that may be seen.
SELECT v.document_id, d.node_id, v.version, nullif(v.version - 1, 0) AS previous, CASE WHEN EXISTS (SELECT FROM engine.document_versions AS l WHERE l.document_id = v.document_id AND l.version > v.version) THEN v.title
            ELSE engine.record_title(v.document_id, d.node_id) END AS title, encode(v.content_hash, 'hex') AS content_hash,
       v.file_id, v.file_name, cardinality(v.chunks) AS chunks, v.kept, v.added, v.superseded, v.authored_by, v.known_at
FROM engine.document_versions AS v
JOIN engine.documents AS d USING (document_id)
WHERE v.document_id = %(document_id)s AND v.user_id = %(user_id)s AND v.version > %(after)s::integer
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))
ORDER BY v.version LIMIT %(limit)s

-- name: versions_held
-- Purpose: the versions of documents by their hashes. Parameters: user_id, sources (at most 1,000 ids, as the engine keeps them).
-- Returns: source_id, version, content_hash; none of those that may not be seen.
SELECT d.source_id, v.version, v.content_hash
FROM engine.documents AS d JOIN engine.document_versions AS v USING (document_id)
WHERE d.user_id = %(user_id)s AND d.source_id = ANY (%(sources)s)
  AND (v.version > 1 OR NOT engine.commit_is_pending(v.commit_id))

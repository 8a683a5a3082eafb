-- name: facts
-- Purpose: the facts that records of the user's own statements hold. Identifier: schema. Parameters: records (at most 1,000).
-- Returns: about, fact_type, category, confidence, importance, at, withdrawn.
SELECT i.subjects AS about, i.section AS fact_type, i.category, i.confidence, i.importance, i.occurred_at AS at,
       coalesce(f.status = 'withdrawn', false) AS withdrawn
FROM {schema}.memory_items AS i LEFT JOIN engine.facts AS f ON f.fact_id = i.item_id
WHERE i.record_id = ANY (%(records)s::uuid[]) AND i.kind = 'fact' AND i.version_of IS NULL

-- name: left_out
-- Purpose: what an export leaves out. Parameters: user_id, authored_by, until.
-- Returns: of_others (inputs that personas of the user stored), waiting (turns of streamed conversations that are not stored yet).
SELECT (SELECT count(*) FROM engine.raw_resources AS r
        WHERE r.user_id = %(user_id)s AND r.authored_by <> %(authored_by)s AND r.received_at <= %(until)s) AS of_others,
       (SELECT coalesce(sum(c.turns - c.stored), 0) FROM engine.conversations AS c WHERE c.user_id = %(user_id)s) AS waiting

-- name: parts
-- Purpose: the parts of a conversation in the order in which they came, one page. Parameters: user_id, authored_by, source_id, until,
--   after_time and after_id (of the last one before, or null), limit.
-- Returns: resource_id, record_id, node_id (where it was stored first), size_bytes, received_at, layout (where the turns stand, or null).
SELECT r.resource_id, r.record_id, r.node_id, r.size_bytes, r.received_at, r.layout
FROM engine.raw_resources AS r
WHERE r.user_id = %(user_id)s AND r.source_id = %(source_id)s AND r.authored_by = %(authored_by)s AND r.content_type = 'conversation'
  AND r.received_at <= %(until)s
  AND (%(after_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) > (%(after_time)s, %(after_id)s::uuid))
ORDER BY r.received_at, r.resource_id LIMIT %(limit)s

-- name: places
-- Purpose: where records lie now. Parameters: user_id, records (at most 1,000). Returns: record_id, schema_name; none of those that may not be seen.
WITH placed AS MATERIALIZED (
    SELECT DISTINCT w.record_id, coalesce(
        (SELECT a.node_id FROM engine.assignments AS a WHERE a.record_id = w.record_id ORDER BY a.entry_id DESC LIMIT 1), w.node_id) AS node_id
    FROM engine.raw_resources AS w WHERE w.user_id = %(user_id)s AND w.record_id = ANY (%(records)s::uuid[])
)
SELECT p.record_id, n.schema_name
FROM placed AS p
-- one by one: a join of both would read all nodes of all users
CROSS JOIN LATERAL (SELECT o.schema_name FROM engine.nodes AS o WHERE o.node_id = p.node_id LIMIT 1) AS n

-- name: records
-- Purpose: what an export says of records. Identifier: schema. Parameters: records (at most 1,000).
-- Returns: record_id, title, content_type, privacy, scope, scope_id, source, occurred_at, reworded (an item of it was changed); none of those that are missing, or hold no longer.
SELECT r.record_id, r.title, r.content_type, r.privacy, r.scope, r.scope_id, r.source, r.occurred_at,
       EXISTS (SELECT FROM {schema}.memory_items AS i WHERE i.record_id = r.record_id AND i.revision > 1) AS reworded
FROM {schema}.metadata_records AS r
WHERE r.record_id = ANY (%(records)s::uuid[]) AND r.version_of IS NULL AND r.state = 'live' AND r.known_to IS NULL
  AND (r.valid_to IS NULL OR r.valid_to > now())

-- name: sources
-- Purpose: what a principal stored, in the order in which it came, one page: documents version by version, a conversation where its first
--   part came. Parameters: user_id, authored_by, until, after_time and after_id (of the last one before, or null), limit.
-- Returns: resource_id, content_type, source_id, record_id, file_name, media_type, size_bytes, received_at, node_id (where
--   it was stored first); title and version of a document, and whether that is its newest one.
SELECT r.resource_id, r.content_type, r.source_id, r.record_id, r.file_name, r.media_type, r.size_bytes, r.received_at, r.node_id, v.title, v.version,
       NOT EXISTS (SELECT FROM engine.document_versions AS l WHERE l.document_id = v.document_id AND l.version > v.version) AS newest
FROM engine.raw_resources AS r
LEFT JOIN engine.document_versions AS v ON v.document_id = r.record_id AND v.file_id = r.resource_id
WHERE r.user_id = %(user_id)s AND r.authored_by = %(authored_by)s AND r.received_at <= %(until)s
  AND (%(after_time)s::timestamptz IS NULL OR (r.received_at, r.resource_id) > (%(after_time)s, %(after_id)s::uuid))
  AND (r.content_type <> 'conversation'
       OR NOT EXISTS (SELECT FROM engine.raw_resources AS e
                      WHERE e.user_id = r.user_id AND e.source_id = r.source_id AND e.authored_by = r.authored_by
                        AND e.content_type = r.content_type AND (e.received_at, e.resource_id) < (r.received_at, r.resource_id)))
ORDER BY r.received_at, r.resource_id LIMIT %(limit)s

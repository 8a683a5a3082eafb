-- Purpose: the graph's part of a live record, to be applied there again. Identifier: schema. Parameters: record_id, node_id, user_id.
-- Returns: line (of the manifest), revision (its changes; null where it was never changed); none when missing or hidden.
WITH own AS (
    SELECT r.*, f.file_id, f.file_name,
           (SELECT count(*) FROM {schema}.memory_items AS i
            WHERE i.record_id = r.record_id AND i.version_of IS NULL AND i.category <> 'whole') AS items
    FROM {schema}.metadata_records AS r
    LEFT JOIN {schema}.file_manifest AS f ON f.record_id = r.record_id AND f.storage_path = r.file_pointer
    WHERE r.record_id = %(record_id)s AND r.version_of IS NULL AND r.state = 'live'
), slices AS (
    SELECT s.version_of IS NULL AS own, s.record_id AS slice_id, s.title, s.occurred_at, nullif(s.valid_from, '-infinity') AS valid_from,
           s.valid_to, s.known_from, s.known_to
    FROM {schema}.metadata_records AS s WHERE s.record_id = %(record_id)s OR s.version_of = %(record_id)s
)
SELECT jsonb_build_object(
           'record_id', o.record_id, 'user_id', %(user_id)s::uuid, 'node_id', %(node_id)s::uuid, 'commit_id', o.commit_id, 'title', o.title,
           'content_type', o.content_type, 'source_id', o.source_id, 'file_id', o.file_id, 'file_name', o.file_name,
           'occurred_at', o.occurred_at, 'items', o.items, 'privacy', o.privacy, 'known_from', o.created_at,
           'valid_from', nullif(o.valid_from, '-infinity')) AS line,
       CASE WHEN o.revision > 1 THEN jsonb_build_object(
           'record_id', o.record_id, 'user_id', %(user_id)s::uuid, 'node_id', %(node_id)s::uuid, 'revision', o.revision, 'items', o.items,
           'own', (SELECT to_jsonb(s) FROM slices AS s WHERE s.own AND s.known_to IS NULL), 'closed', jsonb_build_array(), 'closed_at', o.known_to,
           'added', (SELECT coalesce(jsonb_agg(to_jsonb(s)), jsonb_build_array()) FROM slices AS s WHERE NOT s.own),
           'document', (SELECT jsonb_build_object('version', v.version, 'file_id', v.file_id, 'file_name', v.file_name)
                        FROM engine.document_versions AS v WHERE v.document_id = o.record_id ORDER BY v.version DESC LIMIT 1)) END AS revision
FROM own AS o LIMIT 1

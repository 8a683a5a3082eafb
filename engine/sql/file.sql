-- name: claim
-- Purpose: claims a file as awake for a reader: prolongs its time, takes its restoration, or returns the claim of another restoration.
-- Parameters: node_id, file_id, claim_id (a new one), by_hand, now, lease (end of a new claim), until (end of the time after a
--   retrieval), lost (claim of a copy that was missing or damaged, or null), waited (claim that was waited for, or null).
-- Returns: one row: state (also `failed`), since, due_at, by_hand, claim_id, mine; raises NG404.
SELECT state, since, due_at, by_hand, claim_id, mine
FROM engine.claim_file(%(node_id)s, %(file_id)s, %(claim_id)s, %(by_hand)s, %(now)s, %(lease)s, %(until)s, %(lost)s, %(waited)s)

-- name: claim_prolong
-- Purpose: a restoration takes longer than its claim. Service only. Parameters: node_id, file_id, claim_id, lease. Returns: nothing.
UPDATE engine.awake_files SET claimed_until = greatest(claimed_until, %(lease)s)
WHERE node_id = %(node_id)s AND file_id = %(file_id)s AND claim_id = %(claim_id)s AND state = 'rehydrating'

-- name: copies_unknown
-- Purpose: which of these restored copies no awake file claims. Service only. Parameters: files, claims (arrays side by side).
-- Returns: claim_id.
SELECT c.claim_id FROM unnest(%(files)s::uuid[], %(claims)s::uuid[]) AS c (file_id, claim_id)
WHERE NOT EXISTS (SELECT FROM engine.awake_files AS a WHERE a.claim_id = c.claim_id AND a.file_id = c.file_id)

-- name: failed
-- Purpose: a restoration failed: dormant again, with the cause in the log. Service only.
-- Parameters: node_id, file_id, claim_id, now, detail, review. Returns: done (false when the claim was taken over).
SELECT engine.file_failed(%(node_id)s, %(file_id)s, %(claim_id)s, %(now)s, %(detail)s, %(review)s) AS done

-- name: locate
-- Purpose: where a file of a live record lies that holds. Identifier: schema. Parameters: node_id, file_id.
-- Returns: the columns of ManifestFile, the title of the record, and whether it is the newest file of the record, of which an item was changed.
SELECT %(node_id)s::uuid AS node_id, f.file_id, f.record_id, f.file_name AS name, r.title, f.content_type, f.size_bytes, f.storage_path,
       f.compression_format = 'gzip' AS packed, f.sha256,
       r.file_pointer = f.storage_path AND (f.part OR EXISTS (SELECT FROM {schema}.memory_items AS i WHERE i.record_id = r.record_id AND i.revision > 1)) AS changed
FROM {schema}.file_manifest AS f JOIN {schema}.metadata_records AS r USING (record_id)
WHERE f.file_id = %(file_id)s AND r.state = 'live' AND r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now())

-- name: manifest_insert
-- Purpose: enters files of records into the node's manifest. Identifier: schema. Parameters: rows (json array of the columns). Returns: nothing.
INSERT INTO {schema}.file_manifest
    (file_id, record_id, file_name, file_type, content_type, storage_path, compression_format, size_bytes,
     stored_bytes, sha256, created_at, last_accessed_at)
SELECT r.file_id, r.record_id, r.file_name, r.file_type, r.file_content_type, r.file_pointer, r.compression_format, r.size_bytes,
       r.stored_bytes, decode(r.sha256, 'hex'), r.now, r.now
FROM jsonb_to_recordset(%(rows)s) AS r (file_id uuid, record_id uuid, file_name text, file_type text, file_content_type text, file_pointer text,
                                        compression_format text, size_bytes bigint, stored_bytes bigint, sha256 text, now timestamptz)

-- name: manifest_part
-- Purpose: says that files of the node lie at other nodes, too: others than the user are shown a part. Identifier: schema.
-- Parameters: files (ids). Returns: nothing.
UPDATE {schema}.file_manifest SET part = true WHERE file_id = ANY (%(files)s)

-- name: restored
-- Purpose: the restored copy is there and verified: active. Service only. Parameters: node_id, file_id, claim_id, now, until.
-- Returns: done (false when the claim was taken over).
SELECT engine.file_restored(%(node_id)s, %(file_id)s, %(claim_id)s, %(now)s, %(until)s) AS done

-- name: sleep
-- Purpose: puts a file to sleep; the principal must have the right to write to its node. Parameters: node_id, file_id, now.
-- Returns: node_id, claim_id and storage_path of the copy to delete, cause; no row where it slept already; raises NG404, NG409.
SELECT %(node_id)s::uuid AS node_id, claim_id, storage_path, 'manual' AS cause FROM engine.sleep_file(%(node_id)s, %(file_id)s, %(now)s)

-- name: status
-- Purpose: the state of a file that the principal may read. Parameters: node_id, file_id.
-- Returns: one row: node_id, file_id, state, since, due_at, by_hand, failure; raises NG404.
SELECT %(node_id)s::uuid AS node_id, %(file_id)s::uuid AS file_id, state, since, due_at, by_hand, failure
FROM engine.file_state(%(node_id)s, %(file_id)s)

-- name: sweep
-- Purpose: puts the next files to sleep whose time is over, that were not used for long, or whose restoration stopped. Service only.
-- Parameters: now, unused (woken by hand and not used since), limit. Returns: node_id, claim_id, storage_path, cause.
SELECT node_id, claim_id, storage_path, cause FROM engine.sweep_files(%(now)s, %(unused)s, %(limit)s::integer)

-- name: unknown
-- Purpose: which of these files no manifest of the user knows; raw inputs whose records' loss was accepted are known. Service only.
-- Parameters: root, files. Returns: unknown.
SELECT ARRAY(SELECT f.file_id FROM unnest(engine.unknown_files(%(root)s, %(files)s::uuid[])) AS f (file_id)
             WHERE NOT EXISTS (SELECT FROM engine.raw_resources AS r JOIN engine.accepted_damage AS a USING (node_id)
                               WHERE r.resource_id = f.file_id AND a.kind = 'input-kept' AND a.subject = f.file_id::text)) AS unknown

-- Purpose: the state log of the principal's graph, newest first, one page.
-- Parameters: before (entry_id or null), node_id, file_id (or null), to_review (only entries that were not reviewed), limit.
-- Returns: the columns of StateEntry.
SELECT l.entry_id, l.occurred_at, l.node_id, l.file_id, l.from_state, l.to_state, l.trigger, l.actor_kind, l.actor_id, l.detail,
       l.needs_review, r.entry_id AS reviewed_by, l.reviews
FROM engine.compression_state_log AS l LEFT JOIN engine.compression_state_log AS r ON r.reviews = l.entry_id
WHERE (%(before)s::bigint IS NULL OR l.entry_id < %(before)s)
  AND (%(node_id)s::uuid IS NULL OR l.node_id = %(node_id)s) AND (%(file_id)s::uuid IS NULL OR l.file_id = %(file_id)s)
  AND (NOT %(to_review)s OR (l.needs_review AND r.entry_id IS NULL))
ORDER BY l.entry_id DESC LIMIT %(limit)s

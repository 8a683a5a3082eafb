-- name: set
-- Purpose: sets a legal hold; nothing where there is one on the same. Raises NG409 where it is being forgotten. Service only. Parameters: hold_id, user_id, kind, subject, reason,
--   author. Returns: hold_id.
INSERT INTO engine.holds (hold_id, workspace_id, user_id, kind, subject, subject_hash, reason, set_by)
SELECT %(hold_id)s::uuid, u.workspace_id, u.user_id, %(kind)s::text, %(subject)s::text,
       engine.tombstone('hold ' || %(kind)s::text, u.user_id, %(subject)s::text), %(reason)s::text, %(author)s::text
FROM engine.users AS u WHERE u.user_id = %(user_id)s
ON CONFLICT (user_id, subject_hash) WHERE released_at IS NULL DO NOTHING
RETURNING hold_id

-- name: in_force
-- Purpose: the hold on something. Service only. Parameters: user_id, kind, subject. Returns: hold_id; none where there is none.
SELECT h.hold_id FROM engine.holds AS h
WHERE h.user_id = %(user_id)s AND h.subject_hash = engine.tombstone('hold ' || %(kind)s::text, %(user_id)s::uuid, %(subject)s::text) AND h.released_at IS NULL

-- name: page
-- Purpose: holds, newest first, one page, or one of them. Service only. Parameters: workspace (name), user_id (null: of all users), hold_id (null: not one), before (number; null: from the newest
--   on), released (also those that are released), limit. Returns: the columns of Hold.
SELECT h.hold_id, h.number, h.user_id, h.kind, h.subject, h.reason, h.set_by, h.set_at, h.released_at, h.released_by, h.release_reason
FROM engine.holds AS h
WHERE h.workspace_id = (SELECT w.workspace_id FROM engine.workspaces AS w WHERE w.name = %(workspace)s) AND (%(user_id)s::uuid IS NULL OR h.user_id = %(user_id)s) AND (%(hold_id)s::uuid IS NULL OR h.hold_id = %(hold_id)s)
  AND (%(before)s::bigint IS NULL OR h.number < %(before)s) AND (%(released)s OR h.released_at IS NULL)
ORDER BY h.number DESC LIMIT %(limit)s

-- name: release
-- Purpose: releases a hold; what it named is gone from it. Service only. Parameters: hold_id, reason, author. Returns: hold_id; none where it is released.
UPDATE engine.holds AS h SET subject = '', released_at = clock_timestamp(), released_by = %(author)s::text, release_reason = %(reason)s::text
WHERE h.hold_id = %(hold_id)s AND h.released_at IS NULL
RETURNING h.hold_id

-- name: refuse
-- Purpose: refuses (NG426) to erase what is held. Service only. Parameters: kind (of the forgetting), user_id, sources, records, nodes. Returns: nothing of use.
SELECT engine.refuse_held(%(kind)s::text, %(user_id)s::uuid, %(sources)s::text[], %(records)s::uuid[], %(nodes)s::uuid[])

-- name: of_user
-- Purpose: a hold in force on anything of a user. Service only. Parameters: user_id. Returns: hold_id; none where there is none.
SELECT h.hold_id FROM engine.holds AS h WHERE h.user_id = %(user_id)s AND h.released_at IS NULL LIMIT 1

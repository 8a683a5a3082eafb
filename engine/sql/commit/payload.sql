-- Purpose: the graph's part of an accepted commit, for a repeated request. Parameters: user_id, commit_id.
-- Returns: payload, or no row.
SELECT o.payload FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.commit_id = %(commit_id)s

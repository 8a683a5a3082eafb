-- Purpose: the changes of the graph of an accepted commit, for a repeated request. Parameters: user_id, commit_id.
-- Returns: kind, payload; or no row.
SELECT o.kind, o.payload FROM engine.outbox AS o WHERE o.user_id = %(user_id)s AND o.commit_id = %(commit_id)s

-- Purpose: tries to make every conversation another principal's, at another node: for the leak fuzzer, rolled back.
-- Parameters: id, user_id. Returns: nothing; see the row count.
UPDATE engine.conversations SET node_id = %(id)s, principal_kind = 'user', principal_id = %(user_id)s

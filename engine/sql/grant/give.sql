-- Purpose: gives a right on a node, or finds the same one. Parameters: the columns. Returns: grant_id, granted_at, created, payload (the
--   graph's change; null where it was given before).
SELECT grant_id, granted_at, created, payload FROM engine.grant_node(%(grant_id)s, %(node_id)s, %(subject_kind)s, %(subject_id)s, %(mode)s, %(depth)s::integer, %(fields)s,
                                %(purpose)s, %(expires_at)s, %(past)s)

-- Purpose: changes a node for its user: name, place, what the graph holds; one commit. Parameters: commit_id, node_id, expected
--   (revision), name, key, parent_id, slices, delta, payload (jsonb each). Returns: payload (the graph's part of the commit).
SELECT payload FROM engine.revise_node(%(commit_id)s, %(node_id)s, %(expected)s::integer, %(name)s, %(key)s, %(parent_id)s::uuid,
                                       %(slices)s, %(delta)s, %(payload)s)

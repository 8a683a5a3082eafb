-- Purpose: one page of nodes as the registry and their schemas show them, with the state that follows from their files. Service only.
-- Parameters: after (node id), limit. Returns: the columns of engine.node_facts, file_state and file_seq (null where no file ever
--   moved; told: whether the graph was told of it).
SELECT f.*, s.state AS file_state, s.seq AS file_seq, s.told_seq >= s.seq AS told
FROM engine.node_facts(%(after)s, %(limit)s::integer) AS f LEFT JOIN engine.node_states AS s USING (node_id)

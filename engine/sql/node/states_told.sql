-- Purpose: the graph shows these states. Service only. Parameters: nodes, seqs (arrays side by side). Returns: nothing.
UPDATE engine.node_states AS s SET told_seq = greatest(s.told_seq, told.seq)
FROM unnest(%(nodes)s::uuid[], %(seqs)s::bigint[]) AS told (node_id, seq)
WHERE s.node_id = told.node_id

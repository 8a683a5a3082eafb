-- Purpose: the graph shows these states. Service only. Parameters: nodes, seqs (arrays side by side). Returns: nothing.
UPDATE engine.node_states AS s SET told_seq = greatest(s.told_seq, applied.seq)
FROM unnest(%(nodes)s::uuid[], %(seqs)s::bigint[]) AS applied (node_id, seq)
WHERE s.node_id = applied.node_id

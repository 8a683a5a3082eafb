// Purpose: shows in shells the state that their files have. Operator only, all users: the rows come from Postgres' own state of nodes.
//   A row that is not newer than what the shell shows changes nothing, so late writers do no harm. The first SET takes the
//   lock of the node before its number is read.
// Parameters: states [{node_id, state, seq, changed_at}]. Returns: changed (shells).
UNWIND $states AS row
MATCH (n:Node {node_id: row.node_id})
SET n.state_locked = row.seq
WITH n, row
WHERE coalesce(n.state_seq, -1) < row.seq
SET n.state = row.state, n.state_seq = row.seq,
    n.last_accessed_at = CASE WHEN row.state <> 'dormant' AND coalesce(n.last_accessed_at < datetime(row.changed_at), true)
                              THEN datetime(row.changed_at) ELSE n.last_accessed_at END
RETURN count(n) AS changed

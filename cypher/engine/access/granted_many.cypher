// Purpose: applies many grants to one subject in the graph at once, for a benchmark or an import. Operator only.
// Parameters: subject_id, subject_kind, grants [{grant_id, node_id, granted_at}] (read, depth 0, all fields). Returns: applied.
MERGE (s:Subject {subject_id: $subject_id}) ON CREATE SET s.kind = $subject_kind
WITH s
UNWIND $grants AS row
MATCH (n:Node {node_id: row.node_id})
MERGE (s)-[g:GRANTED {grant_id: row.grant_id}]->(n)
  ON CREATE SET g.mode = 'read', g.depth = 0, g.fields = ['records', 'items', 'files'], g.granted_at = datetime(row.granted_at),
    g.subject_id = s.subject_id, g.user_id = n.user_id
RETURN count(g) AS applied

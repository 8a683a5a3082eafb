// Purpose: enters committed records into the manifests of their nodes and moves the nodes' counts, both of the row's user alone. Idempotent by record_id.
// Parameters: records [{record_id, user_id, node_id, commit_id, title, content_type, source_id, file_id, file_name,
//   occurred_at, items, known_from, valid_from, privacy}].
// Returns: applied (records whose node was found).
CYPHER 25
UNWIND $records AS row
MATCH (n:Node {node_id: row.node_id})
WHERE n.user_id = row.user_id
MERGE (r:Record {record_id: row.record_id})
  ON CREATE SET r.user_id = row.user_id, r.node_id = row.node_id, r.commit_id = row.commit_id, r.title = row.title,
    r.content_type = row.content_type, r.source_id = row.source_id, r.file_id = row.file_id, r.file_name = row.file_name,
    r.occurred_at = datetime(row.occurred_at), r.items = row.items, r.privacy = row.privacy, r.known_from = datetime(row.known_from),
    r.since = datetime(row.known_from), r.valid_from = datetime(row.valid_from), r.caption = part.content_label(row.content_type) + ': ' + row.title
WITH n, r, row, r.user_id = row.user_id AND NOT EXISTS { (:Node)-[:HOLDS]->(r) } AS fresh  // one that was moved meanwhile stays where it is
FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
  CREATE (n)-[:HOLDS]->(r)
  SET r:$(part.content_label(row.content_type))
  SET n.records = n.records + 1, n.items = n.items + row.items,
    n.private_records = coalesce(n.private_records, 0) + CASE row.privacy WHEN 'private' THEN 1 ELSE 0 END,
    n.private_items = coalesce(n.private_items, 0) + CASE row.privacy WHEN 'private' THEN row.items ELSE 0 END,
    n.last_accessed_at = CASE WHEN row.privacy = 'private' OR n.last_accessed_at > datetime(row.known_from)
                              THEN n.last_accessed_at ELSE datetime(row.known_from) END,
    n.state = CASE WHEN row.file_id IS NULL OR n.state_seq IS NOT NULL THEN n.state ELSE 'dormant' END)
RETURN count(DISTINCT row.record_id) AS applied

// Purpose: takes out of the graph what Postgres does not know: an older Postgres was restored, and the operator accepts the loss. Operator only.
// Parameters: nodes, records, edges, grants (ids). Returns: taken.
CALL () { UNWIND $edges AS id MATCH ()-[e:part.edge()|WAS_RELATED]->() WHERE e.edge_id = id DELETE e }
CALL () { UNWIND $grants AS id MATCH ()-[g:GRANTED {grant_id: id}]->() DELETE g }
CALL () { UNWIND $records AS id MATCH (r:Record {record_id: id}) OPTIONAL MATCH (r)-[:WAS]->(p:Past) DETACH DELETE r, p }
CALL () { UNWIND $nodes AS id MATCH (n:Node {node_id: id}) OPTIONAL MATCH (n)-[:WAS]->(p:Past) DETACH DELETE n, p }
RETURN size($nodes) + size($records) + size($edges) + size($grants) AS taken

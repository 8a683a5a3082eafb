-- Purpose: staged records that come out otherwise, one page, in the order of nodes and records. Parameters: replay_id, node_id and record_id (of
--   the last one of the page before), most. Returns: node_id, schema_name, record_id, plan, vectors, tokens, embeddings.
SELECT s.node_id, n.schema_name, s.record_id, s.plan, s.vectors, s.tokens, s.embeddings
FROM engine.replayed_records AS s JOIN engine.nodes AS n USING (node_id)
WHERE s.replay_id = %(replay_id)s AND s.plan IS NOT NULL AND (s.node_id, s.record_id) > (%(node_id)s, %(record_id)s)
ORDER BY s.node_id, s.record_id LIMIT %(most)s

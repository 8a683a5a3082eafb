-- Purpose: one page of nodes as the registry and their schemas show them, with the state that follows from their files. Service only.
-- Parameters: after (node id), limit. Returns: the columns of NodeFacts.
SELECT f.node_id, f.user_id, f.schema_name, f.state, f.shape_ok, f.records, f.items, f.pointers, s.state AS file_state, s.seq AS file_seq, s.told_seq >= s.seq AS applied, n.name, n.name_key, n.node_type, n.layer, n.parent_id,
       engine.node_damage(n.schema_name, n.template_version) AS damage,
       EXISTS (SELECT FROM engine.outbox AS o WHERE o.user_id = n.user_id AND o.state = 'pending') AS busy,
       EXISTS (SELECT FROM engine.pending_vectors AS p WHERE p.node_id = n.node_id) AS waits, engine.active_embeddings() AS active
FROM engine.node_facts(%(after)s, %(limit)s::integer) AS f JOIN engine.nodes AS n USING (node_id)
LEFT JOIN engine.node_states AS s USING (node_id) ORDER BY f.node_id

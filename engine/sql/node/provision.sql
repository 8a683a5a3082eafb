-- Purpose: registers a node with its schema and the outbox row, or finds the sibling of that name.
-- Parameters: node_id, parent_id, name, key, type, schemas (tried in order), payload. Returns: one row.
SELECT * FROM engine.provision_node(%(node_id)s, %(parent_id)s, %(name)s, %(key)s, %(type)s, %(schemas)s, %(payload)s)

-- Purpose: brings a node's columns to what the embedding versions want. Service only.
-- Parameters: node_id. Returns: ready (false where the node is in use: later again).
SELECT engine.prepare_slots(%(node_id)s) AS ready

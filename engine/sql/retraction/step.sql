-- Purpose: the next step of a retraction, held until the end of the transaction. Parameters: retraction_id. Returns: place, node_id, schema_name, record_id, fact_id
--   (null: the whole record), undone, reason, logged (json array of {role, before}); no row when nothing is left to do.
SELECT s.place, s.node_id, s.schema_name, s.record_id, s.fact_id, s.undone, s.reason, s.logged FROM engine.retraction_step(%(retraction_id)s) AS s
LIMIT 1

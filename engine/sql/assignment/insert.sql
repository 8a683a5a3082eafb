-- Purpose: keeps why records go where they go, in the transaction that writes them. Parameters: user_id, author, now, lines (json array of
--   {record_id, node_id, title, confidence, decided_by, created_node, reasons}). Returns: nothing.
INSERT INTO engine.assignments (user_id, record_id, node_id, title, confidence, decided_by, created_node, reasons, author, decided_at)
SELECT %(user_id)s::uuid, l.record_id, l.node_id, l.title, l.confidence, l.decided_by, l.created_node, l.reasons, %(author)s::text, %(now)s::timestamptz
FROM jsonb_to_recordset(%(lines)s::jsonb) AS l (record_id uuid, node_id uuid, title text, confidence real, decided_by text,
                                         created_node boolean, reasons jsonb)

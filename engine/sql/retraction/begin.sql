-- Purpose: begins a retraction, or goes on with the one of the same subject. Parameters: retraction_id (of a new one), kind, subject, reason, author, now,
--   steps (json array of {node_id, record_id, fact_id}). Returns: retraction_id, refused (null, `undoing` or `elsewhere`).
SELECT b.retraction_id, b.refused FROM engine.begin_retraction(%(retraction_id)s, %(kind)s, %(subject)s, %(reason)s, %(author)s, %(now)s, %(steps)s) AS b

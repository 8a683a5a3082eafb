-- Answers as soon as Postgres executes queries.
-- Parameters: none. Returns: one row, 1.
SELECT 1 AS alive

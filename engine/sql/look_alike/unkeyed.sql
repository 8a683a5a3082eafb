-- Purpose: users or integrations whose name has no normal form yet, oldest first. Service only.
-- Parameters: limit; {table} with its columns {id}, {name}, {key}. Returns: id, name.
SELECT t.{id} AS id, t.{name} AS name FROM engine.{table} AS t WHERE t.{key} IS NULL ORDER BY t.created_at, t.{id} LIMIT %(limit)s

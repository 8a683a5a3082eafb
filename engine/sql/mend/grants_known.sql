-- Purpose: which of these grants Postgres knows. Service only. Parameters: grants (uuids). Returns: grant_id.
SELECT g.grant_id FROM engine.grants AS g WHERE g.grant_id = ANY (%(grants)s::uuid[])

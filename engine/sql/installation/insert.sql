-- Purpose: begins the installation: no mark is in all stores yet. Service only. Parameters: installation_id, mark_id, next_generation, next_mark_id.
-- Returns: nothing.
INSERT INTO engine.installation (installation_id, generation, mark_id, next_generation, next_mark_id)
VALUES (%(installation_id)s, 0, %(mark_id)s, %(next_generation)s, %(next_mark_id)s)

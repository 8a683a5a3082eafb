-- Who carries out the request of a key, and until when it counts as alive: the same request at the same time waits for its answer.

ALTER TABLE engine.idempotency ADD COLUMN claimed_by uuid, ADD COLUMN claimed_until timestamptz;

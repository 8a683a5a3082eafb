-- Purpose: tries to add a line to the delta log of any node: for the leak fuzzer, rolled back. Identifier: schema.
-- Parameters: none. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by)
VALUES (gen_random_uuid(), 'record', gen_random_uuid(), now(), '{{}}', 'leaks')

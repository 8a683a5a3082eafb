-- Purpose: tries to add a delta of any record at any node, in the name of any principal: for the leak fuzzer, rolled back.
-- Identifier: schema. Parameters: record_id, author. Returns: nothing.
INSERT INTO {schema}.delta_log (delta_id, subject_kind, subject_id, w_coordinate, payload, authored_by)
VALUES (gen_random_uuid(), 'record', %(record_id)s, now(), '{{}}', %(author)s)

-- Purpose: tries to commit changes of these kinds, one of them unknown, to any node of any user: for the leak fuzzer, rolled back.
-- Parameters: user_id, kinds, older (whether the row has the form of older releases, for the first kind), claimed (the user that the
--   rows name), node_id. Returns: nothing.
WITH part AS (
    SELECT jsonb_build_object('records', jsonb_build_array(r.one), 'revision', r.one) AS named
    FROM (SELECT jsonb_build_object('user_id', %(claimed)s::text, 'node_id', %(node_id)s::text) AS one) AS r
)
INSERT INTO engine.outbox (commit_id, user_id, kind, payload)
SELECT gen_random_uuid(), %(user_id)s, (%(kinds)s::text[])[1], CASE WHEN %(older)s THEN p.named ELSE jsonb_build_object('changes', (
    SELECT jsonb_agg(jsonb_build_object('kind', k.kind) || p.named ORDER BY k.place)
    FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, place))) END
FROM part AS p

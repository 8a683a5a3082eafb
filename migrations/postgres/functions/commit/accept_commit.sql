-- Accepts a commit: enters its changes of the graph in the outbox; the only writer of new rows there. `kind` is that of the first change, as
-- which the commit is listed; what is done with it depends on all of them (`kinds`).
-- The time is that of the call: recovery finishes the commits of one transaction in their order.
CREATE OR REPLACE FUNCTION engine.accept_commit(p_commit uuid, p_user uuid, p_changes jsonb) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO engine.outbox (commit_id, user_id, kind, created_at, payload)
    VALUES (p_commit, p_user, p_changes -> 0 ->> 'kind', clock_timestamp(), jsonb_build_object('changes', p_changes))
$$;
GRANT EXECUTE ON FUNCTION engine.accept_commit TO neurigraph_request;

-- Writes what became of known facts when a source was withdrawn or came back: their status and places in chains. All of them, or NG409
-- where one is not there. For the user of the graph. A commit of the same transaction carries their revisions into the graph.
CREATE OR REPLACE FUNCTION engine.restate_facts(p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid := engine.principal_user();
    given engine.facts[] := (SELECT array_agg(r) FROM jsonb_populate_recordset(NULL::engine.facts, p_rows) AS r);
    changed bigint;
BEGIN
    UPDATE engine.facts AS f
    SET status = g.status, supersedes = g.supersedes, ended_by = g.ended_by, chain_id = g.chain_id, confirms = g.confirms,
        valid_to = g.valid_to, invalidated_at = g.invalidated_at, last_confirmed_at = g.last_confirmed_at, confirmations = g.confirmations,
        revision = g.revision, graph_revision = CASE WHEN f.graph_revision > 0 THEN g.revision ELSE 0 END
    FROM unnest(given) AS g WHERE f.fact_id = g.fact_id AND f.user_id = owner;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> coalesce(array_length(given, 1), 0) THEN
        RAISE EXCEPTION 'The facts of this memory were changed meanwhile.' USING ERRCODE = 'NG409';
    END IF;
    PERFORM engine.set_doubts(p_rows);
EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'The facts of this memory were changed meanwhile.' USING ERRCODE = 'NG409';
END $$;
GRANT EXECUTE ON FUNCTION engine.restate_facts TO neurigraph_request;

-- Takes facts of discarded records out of their chains, which close up behind them. What they ended stays ended, and is stale: the
-- changes of its item are kept, and its owner can let it hold again.
CREATE OR REPLACE FUNCTION engine.discard_facts(p_records uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone engine.facts;
BEGIN
    FOR gone IN SELECT * FROM engine.facts AS f WHERE f.record_id = ANY (p_records) ORDER BY f.fact_id FOR UPDATE LOOP
        DELETE FROM engine.facts AS f WHERE f.fact_id = gone.fact_id;
        UPDATE engine.facts AS f SET supersedes = gone.supersedes WHERE f.supersedes = gone.fact_id;
        UPDATE engine.facts AS f SET stale = true WHERE f.ended_by = gone.fact_id;
        UPDATE engine.facts AS f SET confirmations = f.confirmations - 1 WHERE f.fact_id = gone.confirms AND f.confirmations > 0;
    END LOOP;
END $$;

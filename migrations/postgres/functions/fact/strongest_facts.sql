-- The live facts of the principal's own memory as a whole (of no thread or workflow) about these subjects (hashes), those that were confirmed most often and then the newest first.
CREATE OR REPLACE FUNCTION engine.strongest_facts(p_subjects bigint[], p_most integer) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT array_agg(s.fact_id) FROM (
        SELECT f.fact_id FROM engine.facts AS f
        WHERE engine.principal_kind() = 'user' AND f.user_id = engine.principal_id() AND f.subject = ANY (p_subjects) AND f.status = 'live'
              AND f.scope = 'user'
        ORDER BY f.confirmations DESC, coalesce(f.last_confirmed_at, f.said_at, f.known_from) DESC, f.fact_id LIMIT p_most) AS s
$$;
GRANT EXECUTE ON FUNCTION engine.strongest_facts TO neurigraph_request;

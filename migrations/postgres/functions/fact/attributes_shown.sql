-- The attributes of which live facts of the principal's own memory as a whole (of no thread or workflow) speak, one page by their keys: how most facts
-- call each and what its value mostly is, how many facts and subjects, and when it was first and last said. Nothing for anyone else.
CREATE OR REPLACE FUNCTION engine.attributes_shown(p_after text, p_most integer)
RETURNS TABLE (key text, name text, kind text, single boolean, facts bigint, subjects bigint, first_seen_at timestamptz, last_seen_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.attribute, mode() WITHIN GROUP (ORDER BY a.label), mode() WITHIN GROUP (ORDER BY a.kind), bool_or(a.single), count(*),
           count(DISTINCT coalesce(f.entity, f.subject)), min(coalesce(f.said_at, f.known_from)), max(coalesce(f.last_confirmed_at, f.said_at, f.known_from))
    FROM engine.fact_attributes AS a JOIN engine.facts AS f USING (fact_id)
    WHERE engine.principal_kind() = 'user' AND a.user_id = engine.principal_id() AND a.attribute > p_after AND f.status = 'live' AND f.scope = 'user'
    GROUP BY a.attribute ORDER BY a.attribute LIMIT p_most
$$;
GRANT EXECUTE ON FUNCTION engine.attributes_shown TO neurigraph_request;

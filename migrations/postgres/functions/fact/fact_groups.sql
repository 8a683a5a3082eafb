-- The live facts of the principal's own memory as a whole (of no thread or workflow), by type or by category: how many, when one was last entered, and the
-- ids of the strongest: confirmed most often, then the newest. Without plans whose day has passed at p_now. The largest groups first. Nothing for anyone else.
CREATE OR REPLACE FUNCTION engine.fact_groups(p_by text, p_groups integer, p_most integer, p_now timestamptz)
RETURNS TABLE (name text, facts bigint, changed_at timestamptz, strongest uuid[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.name, max(s.facts), max(s.changed_at), array_agg(s.fact_id ORDER BY s.place)
    FROM (SELECT g.name, f.fact_id, count(*) OVER whole_group AS facts, max(f.known_from) OVER whole_group AS changed_at,
                 row_number() OVER (PARTITION BY g.name
                                    ORDER BY f.confirmations DESC, coalesce(f.last_confirmed_at, f.said_at, f.known_from) DESC, f.fact_id) AS place
          FROM engine.facts AS f, LATERAL (SELECT CASE p_by WHEN 'type' THEN f.fact_type ELSE f.category END AS name) AS g
          WHERE engine.principal_kind() = 'user' AND f.user_id = engine.principal_id() AND f.status = 'live' AND f.scope = 'user'
                AND NOT EXISTS (SELECT FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until <= p_now)
          WINDOW whole_group AS (PARTITION BY g.name)) AS s
    WHERE s.place <= p_most GROUP BY s.name ORDER BY 2 DESC, 1 LIMIT p_groups
$$;
GRANT EXECUTE ON FUNCTION engine.fact_groups TO neurigraph_request;

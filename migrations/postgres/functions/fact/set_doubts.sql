-- Writes the pairs in which these facts are the newer ones, as their rows carry them; pairs that are not there any more go, unless the principal may
-- not read them. p_rows: json array of FactRow, of facts that the caller has checked. For functions.
CREATE OR REPLACE FUNCTION engine.set_doubts(p_rows jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given jsonb := (SELECT jsonb_agg(d || jsonb_build_object('newer', r -> 'fact_id'))
                    FROM jsonb_array_elements(p_rows) AS r, jsonb_array_elements(coalesce(r -> 'doubts', '[]')) AS d);
BEGIN
    DELETE FROM engine.fact_doubts AS d USING engine.facts AS o
    WHERE d.newer = ANY (ARRAY(SELECT (r ->> 'fact_id')::uuid FROM jsonb_array_elements(p_rows) AS r WHERE r ? 'doubts')) AND o.fact_id = d.older
      AND engine.can('read', o.node_id, 'items') AND (o.privacy <> 'private' OR engine.owns(o.node_id))
      AND NOT EXISTS (SELECT FROM jsonb_to_recordset(given) AS g (newer uuid, older uuid) WHERE g.newer = d.newer AND g.older = d.older);
    INSERT INTO engine.fact_doubts AS d (newer, older, user_id, kind, since, decision, decided_at)
    SELECT g.newer, g.older, n.user_id, g.kind, g.since, g.decision, g.decided_at
    FROM jsonb_to_recordset(given) AS g (newer uuid, older uuid, kind text, since timestamptz, decision text, decided_at timestamptz)
    JOIN engine.facts AS n ON n.fact_id = g.newer JOIN engine.facts AS o ON o.fact_id = g.older AND o.user_id = n.user_id
    ORDER BY g.newer, g.older
    ON CONFLICT (newer, older) DO UPDATE SET kind = excluded.kind, decision = excluded.decision, decided_at = excluded.decided_at
    WHERE (d.kind, d.decision) IS DISTINCT FROM (excluded.kind, excluded.decision);
END $$;

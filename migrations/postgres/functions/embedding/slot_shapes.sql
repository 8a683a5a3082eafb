-- How a slot is stored: half precision if its version says so; inline if both vectors of a row then fit a page
-- beside the other columns (in bytes: 4,000 for the first, 4,800 for both), else out of line.
CREATE OR REPLACE FUNCTION engine.slot_shapes() RETURNS TABLE (slot text, type_name text, storage text, active boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT v.slot, CASE v.compression WHEN 'halfvec' THEN 'public.halfvec' ELSE 'public.vector' END,
           CASE WHEN v.bytes > 4000 OR v.status <> 'active' AND sum(v.bytes) OVER () > 4800 THEN 'EXTERNAL' ELSE 'PLAIN' END, v.status = 'active'
    FROM (SELECT e.slot, e.compression, e.status, e.dimension * CASE e.compression WHEN 'halfvec' THEN 2 ELSE 4 END AS bytes
          FROM engine.embedding_versions AS e WHERE e.slot IS NOT NULL) AS v;
END;

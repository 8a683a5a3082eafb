-- The name of who acted (`user:ID`, `persona:ID`) with the id that stands for a forgotten one; any other name as it is.
CREATE OR REPLACE FUNCTION engine.surrogate_name(p_name text) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN p_name ~ '^[a-z_]+:[0-9a-f-]{36}$'
        THEN split_part(p_name, ':', 1) || ':' || engine.surrogate(split_part(p_name, ':', 2)::uuid) ELSE p_name END;
END $$;

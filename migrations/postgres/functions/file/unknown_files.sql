-- Returns those of these files that no manifest of the user lists: candidates for the orphan sweep. Service only.
CREATE OR REPLACE FUNCTION engine.unknown_files(p_root text, p_files uuid[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
    rest uuid[] := p_files;
    known uuid[];
BEGIN
    FOR part IN SELECT n.schema_name FROM engine.nodes AS n
                WHERE n.user_id = (SELECT r.user_id FROM engine.nodes AS r WHERE r.schema_name = p_root AND r.layer = 0)
    LOOP
        EXIT WHEN cardinality(rest) = 0;
        IF NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = to_regclass(format('%I.file_manifest', part.schema_name)) AND p.polname = 'service') THEN
            RAISE EXCEPTION 'The manifest of % cannot be read whole.', part.schema_name USING ERRCODE = 'undefined_table';  -- nothing is unknown then
        END IF;
        EXECUTE format('SELECT array_agg(f.file_id) FROM %I.file_manifest AS f WHERE f.file_id = ANY ($1)', part.schema_name)
        INTO known USING rest;
        rest := ARRAY(SELECT unnest(rest) EXCEPT SELECT unnest(known));
    END LOOP;
    RETURN rest;
END $$;

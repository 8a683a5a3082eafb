-- What the catalog shows as wrong with a node's tables; NULL if they are complete. Called only after a statement failed, or by the doctor; cheap enough for many nodes.
CREATE OR REPLACE FUNCTION engine.node_damage(p_schema text, p_template integer) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place oid := to_regnamespace(quote_ident(p_schema));
    owned record;
    absent text;
BEGIN
    IF place IS NULL THEN
        RETURN 'its schema is missing';
    ELSIF NOT has_schema_privilege('neurigraph_request', place, 'USAGE') THEN
        RETURN 'its schema may not be read';
    ELSIF p_template < engine.template_version() THEN  -- the start could not upgrade it
        RETURN 'its tables are of an older version';
    END IF;
    FOR owned IN SELECT t.oid AS model, t.relname AS name, c.oid AS place, c.relrowsecurity AND c.relforcerowsecurity AS guarded
                 FROM pg_class AS t LEFT JOIN pg_class AS c ON c.relnamespace = place AND c.relname = t.relname AND c.relkind = 'r'
                 WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r' ORDER BY t.relname
    LOOP
        IF owned.place IS NULL THEN
            RETURN format('its table %s is missing', owned.name);
        ELSIF NOT owned.guarded OR NOT has_table_privilege('neurigraph_request', owned.place, 'SELECT') THEN
            RETURN format('the rights on its table %s are missing', owned.name);
        END IF;
        SELECT m.attname INTO absent FROM pg_attribute AS m
        WHERE m.attrelid = owned.model AND m.attnum > 0 AND NOT m.attisdropped AND NOT EXISTS (
            SELECT FROM pg_attribute AS a WHERE a.attrelid = owned.place AND a.attname = m.attname AND NOT a.attisdropped)
        ORDER BY m.attnum LIMIT 1;
        IF FOUND THEN
            RETURN format('the column %s of its table %s is missing', absent, owned.name);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION engine.node_damage TO neurigraph_request;

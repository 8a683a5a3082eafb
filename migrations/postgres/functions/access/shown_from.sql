-- What the policies of records and items compare with, as one value for a node, because each further subquery of a policy is planned for every
-- statement. A row is shown whose end is not before this: NULL: none; -infinity: all of them, to the owner; 4000 BC: all that is not private;
-- else what ended after the principal's right began, and what holds. Policies give what is private -infinity for its end.
CREATE OR REPLACE FUNCTION engine.shown_from(p_node uuid, p_field text) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    since timestamptz;
    oldest timestamptz := '4000-01-01 00:00+00 BC';
BEGIN
    IF engine.owns(p_node) THEN
        RETURN '-infinity';
    END IF;
    since := engine.reads_from(p_node, p_field);
    RETURN CASE WHEN since IS NULL THEN NULL WHEN engine.reads_whole_past(p_node) THEN oldest
                ELSE greatest(since, oldest) + interval '1 microsecond' END;
END $$;
GRANT EXECUTE ON FUNCTION engine.shown_from TO neurigraph_request;

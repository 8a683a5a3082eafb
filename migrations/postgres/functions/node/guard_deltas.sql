-- Makes a node's log of changes append-only.
CREATE OR REPLACE FUNCTION engine.guard_deltas(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I.delta_log'
                   ' FOR EACH ROW EXECUTE FUNCTION engine.refuse_change()', p_schema);
    EXECUTE format('CREATE OR REPLACE TRIGGER append_only_whole BEFORE TRUNCATE ON %I.delta_log'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_change()', p_schema);
END $$;

-- Which installation these stores belong to, of what age they are, and whether writing is stopped.
--
-- All three stores carry the same mark: the installation's id, a generation and the id of that generation. The generation
-- advances while there are writes: Postgres says first which one comes next, then the graph and the object store get it, then
-- Postgres says that it is finished. A store whose generation is lower than the others' was restored from an older backup.

CREATE TABLE engine.installation (
    only_one        boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    installation_id uuid NOT NULL,
    generation      bigint NOT NULL CHECK (generation >= 0),        -- written to all stores; 0 before the first was
    mark_id         uuid NOT NULL,
    next_generation bigint NOT NULL CHECK (next_generation >= generation),  -- written to some stores, where it differs
    next_mark_id    uuid NOT NULL,
    marked_at       timestamptz NOT NULL DEFAULT now(),
    stopped_because text,
    stopped_at      timestamptz,
    CHECK ((stopped_because IS NULL) = (stopped_at IS NULL))
);
ALTER TABLE engine.installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.installation FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.installation TO CURRENT_USER USING (true) WITH CHECK (true);

-- Every commit adds a row to the outbox, so a write of any kind meets this; so do appended turns and logged events. Ingests are refused where
-- they begin, before a model is asked or a file is put.
CREATE FUNCTION engine.refuse_while_stopped() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reason text := (SELECT i.stopped_because FROM engine.installation AS i WHERE i.stopped_because IS NOT NULL);
BEGIN
    IF reason IS NOT NULL THEN
        RAISE EXCEPTION '%', reason USING ERRCODE = 'NG503';
    END IF;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION engine.refuse_while_stopped FROM PUBLIC;
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.outbox
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.ingest_sessions
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.conversation_turns
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();
CREATE TRIGGER refused_while_stopped BEFORE INSERT ON engine.event_log
    FOR EACH STATEMENT EXECUTE FUNCTION engine.refuse_while_stopped();

-- Gives a registered node the tables that its schema lacks, with their policies, empty but for the counts of words; how many were made. The tables are made
-- in a schema apart by the one function that makes them, and moved. Service only.
CREATE FUNCTION engine.mend_node_schema(p_node uuid, p_schema text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    fresh text := 'mending_' || replace(p_node::text, '-', '');
    part text;
    lacking text[] := ARRAY(SELECT t.relname::text FROM pg_class AS t
                            WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r'
                              AND to_regclass(format('%I.%I', p_schema, t.relname)) IS NULL ORDER BY t.relname);
BEGIN
    IF cardinality(lacking) = 0 THEN
        RETURN 0;
    END IF;
    PERFORM engine.create_node_schema(p_node, fresh);
    IF to_regnamespace(quote_ident(p_schema)) IS NULL THEN
        EXECUTE format('ALTER SCHEMA %I RENAME TO %I', fresh, p_schema);
    ELSE
        FOREACH part IN ARRAY lacking LOOP
            EXECUTE format('ALTER TABLE %I.%I SET SCHEMA %I', fresh, part, p_schema);
        END LOOP;
        EXECUTE format('DROP SCHEMA %I CASCADE', fresh);  -- with it goes what refers to its tables; that is made again here
        FOREACH part IN ARRAY ARRAY['memory_items', 'file_manifest'] LOOP
            IF NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.contype = 'f' AND c.conrelid = to_regclass(format('%I.%I', p_schema, part))) THEN
                EXECUTE format('ALTER TABLE %1$I.%2$I ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records NOT VALID', p_schema, part);
            END IF;
        END LOOP;
    END IF;
    IF 'term_counts' = ANY (lacking) THEN  -- they follow from what is stored
        EXECUTE format('INSERT INTO %1$I.term_counts (unit, term, documents) SELECT c.unit, c.term, sum(c.documents)'
                       ' FROM %1$I.metadata_records AS r, engine.record_counts(%1$L, r.record_id) AS c'
                       ' WHERE r.version_of IS NULL GROUP BY 1, 2', p_schema);
    END IF;
    IF cardinality(lacking) = (SELECT count(*) FROM pg_class AS t WHERE t.relnamespace = 'template'::regnamespace AND t.relkind = 'r') THEN
        UPDATE engine.nodes SET template_version = engine.template_version() WHERE node_id = p_node;
    END IF;
    RETURN cardinality(lacking);
END $$;
REVOKE ALL ON FUNCTION engine.mend_node_schema FROM PUBLIC;

-- Embedding versions: vectors of two models lie beside each other, in two slots, and one step says which is searched.
--
--   slot a   columns embedding, embedding_version          slot b   columns embedding_b, embedding_b_version
--
-- One version is active and searched; a canary is built in the other slot while the active one serves. Promotion changes
-- two rows of engine.embedding_versions and nothing else. An archived version keeps its slot, for the way back, until the
-- next canary takes it. Every vector names its version, and only vectors of the version asked for are compared.

ALTER TABLE engine.embedding_versions
    ADD COLUMN slot text CHECK (slot IN ('a', 'b')),
    ADD COLUMN promoted_at timestamptz,
    ADD COLUMN archived_at timestamptz,
    ADD COLUMN built_at timestamptz,   -- when a build last found nothing left to do
    ADD COLUMN comparison jsonb;       -- with the active version of that time
UPDATE engine.embedding_versions SET slot = 'a', promoted_at = created_at WHERE status = 'active';
ALTER TABLE engine.embedding_versions
    ADD CONSTRAINT in_use_has_slot CHECK (status = 'archived' OR slot IS NOT NULL),
    ADD CONSTRAINT one_version_a_slot UNIQUE (slot);
CREATE UNIQUE INDEX one_canary ON engine.embedding_versions ((true)) WHERE status = 'canary';

-- Which version is searched now, and where one lies. Names of models tell nothing about anybody.
CREATE FUNCTION engine.active_embeddings() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN (SELECT v.name FROM engine.embedding_versions AS v WHERE v.status = 'active');

CREATE FUNCTION engine.embedding_slot(p_version text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
RETURN (SELECT v.slot FROM engine.embedding_versions AS v WHERE v.name = p_version);

-- Writers hold the active version until they commit; a promotion waits for them. Nothing is written with the vectors of
-- a version that is not active any more: NG411.
CREATE FUNCTION engine.require_embeddings(p_version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_version AND v.status = 'active') THEN
        RAISE EXCEPTION 'The embeddings % are not active.', p_version USING ERRCODE = 'NG411';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.active_embeddings, engine.embedding_slot, engine.require_embeddings FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.active_embeddings, engine.embedding_slot, engine.require_embeddings TO neurigraph_request;

-- Lives of versions; service only -----------------------------------------------------------------------------------

-- Gives a canary the slot that the active version does not use; the archived version there gives it up. Repeating it with
-- the canary that there is changes nothing. NG409: there is another canary, or the name is active or has another shape.
CREATE FUNCTION engine.start_canary(p_name text, p_provider text, p_model text, p_dimension integer, p_compression text)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '10s' AS $$
DECLARE
    free text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    SELECT CASE v.slot WHEN 'a' THEN 'b' ELSE 'a' END INTO free FROM engine.embedding_versions AS v WHERE v.status = 'active';
    IF EXISTS (SELECT FROM engine.embedding_versions AS v
               WHERE v.status = 'canary' AND v.name <> p_name
                  OR v.name = p_name AND (v.status = 'active' OR (v.dimension, v.compression) <> (p_dimension, p_compression))) THEN
        RAISE EXCEPTION 'There is another canary.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET slot = NULL WHERE slot = free AND name <> p_name;
    INSERT INTO engine.embedding_versions (name, provider, model, dimension, compression, status, slot)
    VALUES (p_name, p_provider, p_model, p_dimension, p_compression, 'canary', free)
    ON CONFLICT (name) DO UPDATE SET status = 'canary', slot = free
    WHERE embedding_versions.status <> 'canary';
END $$;

-- The canary becomes active, the active one archived: one step. NG409: it is no canary, or nodes lack its columns.
CREATE FUNCTION engine.promote_embeddings(p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '10s' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_name AND v.status = 'canary')
        OR EXISTS (SELECT FROM engine.nodes AS n WHERE n.template_version < 4) THEN
        RAISE EXCEPTION 'There is no such canary.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'archived', archived_at = now() WHERE status = 'active';
    UPDATE engine.embedding_versions SET status = 'active', promoted_at = now(), archived_at = NULL WHERE name = p_name;
END $$;

-- The step back: the archived version that still has its slot is active again, the active one a canary. Returns its name.
CREATE FUNCTION engine.roll_back_embeddings() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '10s' AS $$
DECLARE
    previous text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    SELECT v.name INTO previous FROM engine.embedding_versions AS v WHERE v.status = 'archived' AND v.slot IS NOT NULL;
    IF previous IS NULL THEN
        RAISE EXCEPTION 'There is no earlier version to go back to.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'canary' WHERE status = 'active';
    UPDATE engine.embedding_versions SET status = 'active', promoted_at = now(), archived_at = NULL WHERE name = previous;
    RETURN previous;
END $$;

-- Gives up the slot of a version that is not active. NG404: there is none; NG409: it is active.
CREATE FUNCTION engine.drop_embeddings(p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '10s' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('neurigraph embedding versions'));
    IF EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_name AND v.status = 'active') THEN
        RAISE EXCEPTION 'The active version cannot be dropped.' USING ERRCODE = 'NG409';
    END IF;
    UPDATE engine.embedding_versions SET status = 'archived', slot = NULL, archived_at = coalesce(archived_at, now()), built_at = NULL
    WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'There is no such version.' USING ERRCODE = 'NG404';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.start_canary, engine.promote_embeddings, engine.roll_back_embeddings, engine.drop_embeddings FROM PUBLIC;

-- Columns of a slot ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 4;

-- A changed text has no vectors until somebody writes them: those of its old words would be wrong, in either slot.
CREATE FUNCTION engine.forget_meaning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.embedding := NULL; NEW.embedding_version := NULL;
    NEW.embedding_b := NULL; NEW.embedding_b_version := NULL;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION engine.forget_meaning FROM PUBLIC;

-- embedding_pending is no constraint any more: whether a vector is missing depends on the version that is asked for.
ALTER TABLE template.metadata_records
    ADD COLUMN embedding_b vector, ADD COLUMN embedding_b_version text,
    ADD CONSTRAINT metadata_records_slot_b CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)),
    DROP CONSTRAINT metadata_records_check;
ALTER TABLE template.memory_items
    ADD COLUMN embedding_b vector, ADD COLUMN embedding_b_version text,
    ADD CONSTRAINT memory_items_slot_b CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)),
    ALTER COLUMN embedding_b SET STORAGE PLAIN;

CREATE FUNCTION engine.guard_meaning(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    EXECUTE format('CREATE OR REPLACE TRIGGER forget_meaning BEFORE UPDATE ON %I.memory_items FOR EACH ROW'
                   ' WHEN (OLD.content IS DISTINCT FROM NEW.content) EXECUTE FUNCTION engine.forget_meaning()', p_schema);
    EXECUTE format('CREATE OR REPLACE TRIGGER forget_meaning BEFORE UPDATE ON %I.metadata_records FOR EACH ROW'
                   ' WHEN (OLD.summary IS DISTINCT FROM NEW.summary) EXECUTE FUNCTION engine.forget_meaning()', p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.guard_meaning FROM PUBLIC;

-- How a slot is to be stored: half precision as its version says; in the row as long as both vectors of a row then fit a page
-- beside the rest (in bytes: 4,000 for the first, 4,800 for both), else beside it.
CREATE FUNCTION engine.slot_shapes() RETURNS TABLE (slot text, type_name text, storage text, active boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog
BEGIN ATOMIC
    SELECT v.slot, CASE v.compression WHEN 'halfvec' THEN 'public.halfvec' ELSE 'public.vector' END,
           CASE WHEN v.bytes > 4000 OR v.status <> 'active' AND sum(v.bytes) OVER () > 4800 THEN 'EXTERNAL' ELSE 'PLAIN' END, v.status = 'active'
    FROM (SELECT e.slot, e.compression, e.status, e.dimension * CASE e.compression WHEN 'halfvec' THEN 2 ELSE 4 END AS bytes
          FROM engine.embedding_versions AS e WHERE e.slot IS NOT NULL) AS v;
END;
REVOKE ALL ON FUNCTION engine.slot_shapes FROM PUBLIC;
DROP FUNCTION engine.embedding_column();

-- Empties a slot of a table by taking its columns away and adding them anew: no row is touched, whatever their number.
CREATE FUNCTION engine.reset_slot(p_schema text, p_table text, p_slot text, p_type text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    vectors text := CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END;
BEGIN
    EXECUTE format('ALTER TABLE %1$I.%2$I DROP COLUMN %3$I, DROP COLUMN %4$I', p_schema, p_table, vectors, vectors || '_version');
    EXECUTE format('ALTER TABLE %1$I.%2$I ADD COLUMN %3$I %5$s, ADD COLUMN %4$I text,'
                   ' ADD CONSTRAINT %6$I CHECK ((%3$I IS NULL) = (%4$I IS NULL)) NOT VALID',
                   p_schema, p_table, vectors, vectors || '_version', p_type, p_table || '_slot_' || p_slot);
END $$;

-- Makes the columns of all used slots of a node as their versions want them. Vectors of a slot whose type changes are gone:
-- they are of a version that gave the slot up. Those of the active version are never touched.
CREATE FUNCTION engine.shape_slots(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    wanted record;
    there record;
BEGIN
    FOR wanted IN SELECT s.slot, s.type_name, s.active, t.name, CASE t.name WHEN 'memory_items' THEN s.storage ELSE 'EXTERNAL' END AS storage,
                         CASE s.slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END AS vectors
                  FROM engine.slot_shapes() AS s, (VALUES ('memory_items'), ('metadata_records')) AS t (name)
    LOOP
        SELECT format_type(a.atttypid, NULL) AS type_name, a.attstorage INTO there FROM pg_attribute AS a
        WHERE a.attrelid = format('%I.%I', p_schema, wanted.name)::regclass AND a.attname = wanted.vectors;
        CONTINUE WHEN wanted.active AND pg_relation_size(format('%I.%I', p_schema, wanted.name)::regclass) > 0;
        IF there.type_name <> wanted.type_name THEN
            PERFORM engine.reset_slot(p_schema, wanted.name, wanted.slot, wanted.type_name);
        END IF;
        IF there.type_name <> wanted.type_name OR there.attstorage::text <> left(lower(wanted.storage), 1) THEN
            EXECUTE format('ALTER TABLE %I.%I ALTER COLUMN %I SET STORAGE %s', p_schema, wanted.name, wanted.vectors, wanted.storage);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.reset_slot, engine.shape_slots FROM PUBLIC;

-- Makes a node ready for the versions that there are: newest template, columns of the right type. False where the node is in
-- use: nobody is kept waiting for long, the caller comes again.
CREATE FUNCTION engine.prepare_slots(p_node uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '250ms' AS $$
DECLARE
    node engine.nodes;
BEGIN
    PERFORM engine.upgrade_nodes(ARRAY[p_node], 1);
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF node.template_version < engine.template_version() THEN
        RETURN false;
    END IF;
    PERFORM engine.shape_slots(node.schema_name);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
REVOKE ALL ON FUNCTION engine.prepare_slots FROM PUBLIC;

-- Empties a slot of a node that no version holds. False where the node is in use, or the slot was taken meanwhile.
CREATE FUNCTION engine.clear_slot(p_node uuid, p_slot text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = '250ms' AS $$
DECLARE
    node engine.nodes;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    SELECT * INTO node FROM engine.nodes AS n WHERE n.node_id = p_node;
    IF EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.slot = p_slot) OR node.template_version < 4 THEN
        RETURN node.template_version < 4;
    END IF;
    PERFORM engine.reset_slot(node.schema_name, t.name, p_slot, 'public.vector')
    FROM (VALUES ('memory_items'), ('metadata_records')) AS t (name);
    EXECUTE format('ALTER TABLE %I.memory_items ALTER COLUMN %I SET STORAGE PLAIN', node.schema_name,
                   CASE p_slot WHEN 'a' THEN 'embedding' ELSE 'embedding_b' END);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
REVOKE ALL ON FUNCTION engine.clear_slot FROM PUBLIC;

-- From template 3 to 4.
CREATE FUNCTION engine.upgrade_node_to_4(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    old record;
BEGIN
    FOR old IN SELECT c.conname AS name FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid
               WHERE c.conrelid = format('%I.metadata_records', p_schema)::regclass AND c.contype = 'c'
                 AND a.attname = 'embedding_pending' AND a.attnum = ANY (c.conkey)
    LOOP
        EXECUTE format('ALTER TABLE %I.metadata_records DROP CONSTRAINT %I', p_schema, old.name);
    END LOOP;
    EXECUTE format('ALTER TABLE %I.metadata_records ADD COLUMN IF NOT EXISTS embedding_b public.vector,'
                   ' ADD COLUMN IF NOT EXISTS embedding_b_version text, DROP CONSTRAINT IF EXISTS metadata_records_slot_b', p_schema);
    EXECUTE format('ALTER TABLE %I.metadata_records ADD CONSTRAINT metadata_records_slot_b'
                   ' CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)) NOT VALID', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD COLUMN IF NOT EXISTS embedding_b public.vector,'
                   ' ADD COLUMN IF NOT EXISTS embedding_b_version text, DROP CONSTRAINT IF EXISTS memory_items_slot_b', p_schema);
    EXECUTE format('ALTER TABLE %I.memory_items ADD CONSTRAINT memory_items_slot_b'
                   ' CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)) NOT VALID,'
                   ' ALTER COLUMN embedding_b SET STORAGE PLAIN', p_schema);
    PERFORM engine.guard_meaning(p_schema);
    PERFORM engine.shape_slots(p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_4 FROM PUBLIC;

CREATE OR REPLACE FUNCTION engine.create_node_schema(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
    t record;
BEGIN
    EXECUTE format('CREATE SCHEMA %I', p_schema);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO neurigraph_request', p_schema);
    FOR t IN SELECT * FROM (VALUES ('metadata_records', 'SELECT, INSERT, UPDATE'), ('memory_items', 'SELECT, INSERT, UPDATE'),
                                   ('file_manifest', 'SELECT, INSERT, UPDATE'), ('delta_log', 'SELECT, INSERT'),
                                   ('term_counts', 'SELECT, INSERT, UPDATE')) AS v (name, rights)
    LOOP
        EXECUTE format('CREATE TABLE %1$I.%2$I (LIKE template.%2$I INCLUDING ALL)', p_schema, t.name);
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', p_schema, t.name);
        EXECUTE format('CREATE POLICY service ON %I.%I TO CURRENT_USER USING (true) WITH CHECK (true)', p_schema, t.name);
        EXECUTE format('GRANT %s ON %I.%I TO neurigraph_request', t.rights, p_schema, t.name);
    END LOOP;
    PERFORM engine.shape_slots(p_schema);
    PERFORM engine.guard_meaning(p_schema);
    PERFORM engine.apply_node_policies(p_node, p_schema);
    PERFORM engine.guard_deltas(p_schema);
    EXECUTE format('ALTER TABLE %1$I.memory_items ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
    EXECUTE format('ALTER TABLE %1$I.file_manifest ADD FOREIGN KEY (record_id) REFERENCES %1$I.metadata_records', p_schema);
END $$;

-- A build holds its version's slot while it writes a batch; where another version has taken it: NG411.
CREATE FUNCTION engine.hold_slot(p_version text, p_slot text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('neurigraph embedding versions'));
    IF NOT EXISTS (SELECT FROM engine.embedding_versions AS v WHERE v.name = p_version AND v.slot = p_slot) THEN
        RAISE EXCEPTION 'The embeddings % have given up their slot.', p_version USING ERRCODE = 'NG411';
    END IF;
END $$;
REVOKE ALL ON FUNCTION engine.hold_slot FROM PUBLIC;

-- How far a version is, node after node, one page: rows in all (records and items, slices too) and those with its vector.
CREATE FUNCTION engine.embedding_progress(p_version text, p_after uuid, p_most integer)
RETURNS TABLE (node_id uuid, rows_in_all bigint, rows_done bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
#variable_conflict use_column
DECLARE
    node record;
    labels text := CASE engine.embedding_slot(p_version) WHEN 'a' THEN 'embedding_version' WHEN 'b' THEN 'embedding_b_version' END;
BEGIN
    FOR node IN SELECT n.node_id AS id, n.schema_name AS place, n.template_version AS template FROM engine.nodes AS n
                WHERE n.node_id > p_after ORDER BY n.node_id LIMIT p_most
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $1, i.n + r.n, i.done + r.done'
            ' FROM (SELECT count(*) AS n, count(*) FILTER (WHERE %2$s = $2) AS done FROM %1$I.memory_items) AS i,'
            ' (SELECT count(*) AS n, count(*) FILTER (WHERE %2$s = $2) AS done FROM %1$I.metadata_records) AS r',
            node.place, CASE WHEN labels IS NULL OR labels = 'embedding_b_version' AND node.template < 4 THEN 'NULL' ELSE labels END)
        USING node.id, p_version;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.embedding_progress FROM PUBLIC;

-- Search by version -----------------------------------------------------------------------------------------------------

-- One scan per node: words and meaning of every item together, and the words of its record. Only items of live records, as
-- they were at the moment. Vectors of another version than the one asked for are not compared: meaning is NULL then.
CREATE OR REPLACE FUNCTION engine.search_scan(p_nodes uuid[], p_schemas text[], p_query vector, p_version text, p_items sparsevec,
                                              p_records sparsevec, p_kinds text[], p_as_of timestamptz, p_known_at timestamptz)
RETURNS TABLE (node_id uuid, schema_name text, item_id uuid, kind text, session uuid, "position" integer,
               words float8, meaning float8, record_words float8)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public AS $$
DECLARE
    place integer;
    slot text := engine.embedding_slot(p_version);
    here text;
BEGIN
    FOR place IN 1 .. coalesce(array_length(p_nodes, 1), 0) LOOP
        CONTINUE WHEN pg_relation_size(format('%I.memory_items', p_schemas[place])::regclass) = 0;
        here := CASE WHEN slot = 'a' THEN 'embedding' WHEN slot = 'b' AND engine.has_slot_b(p_schemas[place]) THEN 'embedding_b' END;
        RETURN QUERY EXECUTE format(
            'SELECT $1, $2, i.item_id, i.kind, i.session, i.position, -(i.terms <#> $5), %3$s, r.words
             FROM %1$I.memory_items AS i
             JOIN (SELECT %2$s AS record_id, -(terms <#> $6) AS words FROM %1$I.metadata_records
                   WHERE state = ''live'' AND valid_from <= $8 AND (valid_to IS NULL OR valid_to > $8)
                     AND known_from <= $9 AND (known_to IS NULL OR known_to > $9) OFFSET 0) AS r USING (record_id)
             WHERE ($7 IS NULL OR i.kind = ANY ($7)) AND i.valid_from <= $8 AND (i.valid_to IS NULL OR i.valid_to > $8)
               AND i.known_from <= $9 AND (i.known_to IS NULL OR i.known_to > $9)',
            p_schemas[place], CASE WHEN engine.has_slices(p_schemas[place]) THEN 'coalesce(version_of, record_id)' ELSE 'record_id' END,
            CASE WHEN here IS NULL THEN 'NULL::float8'
                 ELSE format('CASE WHEN i.%1$I = $4 THEN -(i.%2$I <#> $3) END', here || '_version', here) END)
        USING p_nodes[place], p_schemas[place], p_query, p_version, p_items, p_records, p_kinds, p_as_of, p_known_at;
    END LOOP;
END $$;

-- Does this node's schema have the second slot yet?
CREATE FUNCTION engine.has_slot_b(p_schema text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog
RETURN EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = to_regclass(format('%I.memory_items', p_schema)) AND a.attname = 'embedding_b');

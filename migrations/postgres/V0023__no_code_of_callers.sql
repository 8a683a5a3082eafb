-- Functions run no code of their caller, and raw SQL of a writer tells nothing of rows that it may not read.
--
-- Search paths. Postgres looks for types and tables in the caller's temporary schema first, unless a path names pg_temp: then where it is
-- named. A domain pg_temp.uuid with a check would so run a function of the caller's with the rights of the owner. Every function names
-- pg_temp last; engine.pin_search_paths sees to that for the functions that there are, and is run again after every migration.
--
-- Oracles. A write that is refused looks the same whether a hidden row is there or not: policies are asked before keys and
-- references are, so what would collide with a hidden row, or refer to one, is refused by a policy.
--
-- Authors. What names an author names the principal of the transaction.

CREATE FUNCTION engine.pin_search_paths(p_schema text, p_path text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS name, coalesce(nullif(substr(c.setting, 13), '""'), p_path) AS path
             FROM pg_proc AS p
             LEFT JOIN LATERAL (SELECT s AS setting FROM unnest(p.proconfig) AS s WHERE starts_with(s, 'search_path=')) AS c ON true
             WHERE p.pronamespace = p_schema::regnamespace AND p.prokind IN ('f', 'p')
    LOOP
        CONTINUE WHEN f.path LIKE '%, pg_temp' AND f.path NOT LIKE '%pg_temp%, pg_temp';
        EXECUTE format('ALTER ROUTINE %s SET search_path = %s, pg_temp', f.name, f.path);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION engine.pin_search_paths FROM PUBLIC;

-- What anybody might call until now, the request role alone may call. Triggers need no right.
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS name, p.prorettype = 'trigger'::regtype AS trigger
             FROM pg_proc AS p, LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
             WHERE p.pronamespace = 'engine'::regnamespace AND a.grantee = 0
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
        IF NOT f.trigger THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO neurigraph_request', f.name);
        END IF;
    END LOOP;
END $$;

-- Tables of the nodes ---------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION engine.template_version() RETURNS integer LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp RETURN 6;

-- How the principal of this transaction is named as an author.
CREATE FUNCTION engine.principal_name() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN engine.principal_kind() || ':' || engine.principal_id();
END $$;
REVOKE ALL ON FUNCTION engine.principal_name FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.principal_name TO neurigraph_request;

-- Ids are given once: a row that took another id would tell by a conflict, or by a missing reference, which ids there are.
CREATE FUNCTION engine.keep_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'Ids do not change.' USING ERRCODE = 'insufficient_privilege';
END $$;
REVOKE ALL ON FUNCTION engine.keep_ids FROM PUBLIC;

-- The rights of the request role in one node's schema, as before, but: whoever is not the user adds items and deltas only to records that
-- it may read, a delta names its author, and ids stay. Repeating it changes nothing.
CREATE OR REPLACE FUNCTION engine.apply_node_policies(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
    owned text := format('(SELECT engine.owns(%L::uuid))', p_node);
    unless_private text := format('(privacy <> ''private'' OR %s)', owned);
    of_a_file text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = file_manifest.record_id))', owned, p_schema);
    of_an_item text := format('(%s OR EXISTS (SELECT FROM %I.metadata_records AS r WHERE r.record_id = memory_items.record_id))', owned, p_schema);
    of_a_delta text := format('(%1$s OR EXISTS (SELECT FROM %2$I.metadata_records AS r WHERE r.record_id = delta_log.subject_id)'
                              ' OR EXISTS (SELECT FROM %2$I.memory_items AS i WHERE i.item_id = delta_log.subject_id))', owned, p_schema);
    unless_private_unit text := format('(unit NOT LIKE ''private%%'' OR %s)', owned);
BEGIN
    FOR t IN
        SELECT * FROM (VALUES
            ('metadata_records', 'records', unless_private, unless_private, 'record_id'),
            ('memory_items', 'items', unless_private, unless_private || ' AND ' || of_an_item, 'item_id'),
            ('file_manifest', 'files', of_a_file, of_a_file, 'file_id'),
            ('term_counts', 'items', unless_private_unit, unless_private_unit, NULL),
            ('delta_log', NULL, owned, 'authored_by = (SELECT engine.principal_name()) AND ' || of_a_delta, NULL))
            AS v (name, field, readable, writable, id)
    LOOP
        EXECUTE format('DROP POLICY IF EXISTS principal ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS readable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS writable ON %I.%I', p_schema, t.name);
        EXECUTE format('DROP POLICY IF EXISTS changeable ON %I.%I', p_schema, t.name);
        EXECUTE format('CREATE POLICY readable ON %I.%I FOR SELECT TO neurigraph_request'
                       ' USING ((SELECT engine.can(''read'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.readable);
        EXECUTE format('CREATE POLICY writable ON %I.%I FOR INSERT TO neurigraph_request'
                       ' WITH CHECK ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.writable);
        CONTINUE WHEN t.name = 'delta_log';
        EXECUTE format('CREATE POLICY changeable ON %I.%I FOR UPDATE TO neurigraph_request'
                       ' USING ((SELECT engine.can(''write'', %L::uuid, %L)) AND %s)', p_schema, t.name, p_node, t.field, t.readable);
        CONTINUE WHEN t.id IS NULL;
        EXECUTE format('CREATE OR REPLACE TRIGGER keep_ids BEFORE UPDATE ON %I.%I FOR EACH ROW'
                       ' WHEN (OLD.%3$I IS DISTINCT FROM NEW.%3$I OR OLD.record_id IS DISTINCT FROM NEW.record_id)'
                       ' EXECUTE FUNCTION engine.keep_ids()', p_schema, t.name, t.id);
    END LOOP;
END $$;

-- From template 5 to 6: policies and triggers; may be repeated.
CREATE FUNCTION engine.upgrade_node_to_6(p_node uuid, p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM engine.apply_node_policies(p_node, p_schema);
END $$;
REVOKE ALL ON FUNCTION engine.upgrade_node_to_6 FROM PUBLIC;

-- Shared tables ---------------------------------------------------------------------------------------------------------

-- Whether the node holds this record, and this file of it (NULL: any), for the principal: with the caller's rights.
CREATE FUNCTION engine.node_holds(p_node uuid, p_record uuid, p_file uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node_schema text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node);
    held boolean;
BEGIN
    IF node_schema IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I.metadata_records WHERE record_id = $1) AND'
                   ' ($2 IS NULL OR EXISTS (SELECT FROM %1$I.file_manifest WHERE file_id = $2 AND record_id = $1))', node_schema)
    INTO held USING p_record, p_file;
    RETURN held;
END $$;
REVOKE ALL ON FUNCTION engine.node_holds FROM PUBLIC;
GRANT EXECUTE ON FUNCTION engine.node_holds TO neurigraph_request;

ALTER POLICY stored ON engine.documents
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
                AND engine.can('write', node_id) AND engine.node_holds(node_id, document_id, NULL));

ALTER POLICY stored ON engine.document_versions
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
                AND authored_by = (SELECT engine.principal_name())
                AND EXISTS (SELECT FROM engine.documents AS d WHERE d.document_id = document_versions.document_id
                            AND d.user_id = document_versions.user_id AND d.source_id = document_versions.source_id));

ALTER POLICY stored ON engine.raw_resources
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND engine.can('write', node_id)
                AND workspace_id = (SELECT engine.workspace_of((SELECT engine.principal_graph())))
                AND authored_by = (SELECT engine.principal_name()) AND engine.node_holds(node_id, record_id, resource_id));

ALTER POLICY written ON engine.event_log
    WITH CHECK (user_id = (SELECT engine.principal_user()) AND (node_id IS NULL OR engine.owns(node_id))
                AND authored_by = (SELECT engine.principal_name()));

ALTER POLICY decided ON engine.assignments
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND moved_from IS NULL AND engine.can('write', node_id)
                AND author = (SELECT engine.principal_name()));

ALTER POLICY own ON engine.hierarchy_log
    WITH CHECK (user_id = (SELECT engine.principal_user()) AND engine.owns(node_id));

ALTER POLICY own ON engine.replayed_records
    WITH CHECK (user_id = (SELECT engine.principal_user())
                AND EXISTS (SELECT FROM engine.replays AS r WHERE r.replay_id = replayed_records.replay_id));

-- A conversation is stored in the name of its principal, at its node, later and by a job: whoever opens one says neither falsely.
CREATE POLICY opened ON engine.conversations AS RESTRICTIVE FOR INSERT TO neurigraph_request
    WITH CHECK (principal_kind = (SELECT engine.principal_kind()) AND principal_id = (SELECT engine.principal_id())
                AND (node_id IS NULL OR engine.can('write', node_id)));
CREATE TRIGGER keep_ids BEFORE UPDATE ON engine.conversations FOR EACH ROW
    WHEN ((OLD.principal_kind, OLD.principal_id, OLD.node_id, OLD.user_id, OLD.source_id)
          IS DISTINCT FROM (NEW.principal_kind, NEW.principal_id, NEW.node_id, NEW.user_id, NEW.source_id))
    EXECUTE FUNCTION engine.keep_ids();

-- Whether a stored source's commit is still on its way; of the own graph only.
CREATE OR REPLACE FUNCTION engine.commit_is_pending(p_commit uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN coalesce((SELECT o.state = 'pending' FROM engine.outbox AS o
                 WHERE o.commit_id = p_commit AND o.user_id = engine.principal_graph()), false);

SELECT engine.pin_search_paths('engine', 'pg_catalog');
SELECT engine.pin_search_paths('_queue', '_queue, pg_catalog');
REVOKE ALL ON ALL ROUTINES IN SCHEMA _queue FROM PUBLIC;

-- name: create
-- Purpose: makes a role that may log in and read the views of analysts, and nothing else. Its settings are defaults that a session may change: what protects is
-- that it owns nothing and may write nothing. For an administrator, in a transaction. Identifiers: role. Literal: password, as a verifier. Returns: nothing.
CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 5 PASSWORD {password};
GRANT neurigraph_analysts TO {role};
ALTER ROLE {role} SET default_transaction_read_only = on;
ALTER ROLE {role} SET statement_timeout = '60s';
ALTER ROLE {role} SET idle_in_transaction_session_timeout = '10min';
ALTER ROLE {role} SET search_path = analysis;
ALTER ROLE {role} SET work_mem = '16MB';
-- No session may change these; only a superuser may set them, and an administrator of a managed server may be none. What a session writes into the server's log
-- (RAISE LOG, debug_print_plan) could be what people said, and without end.
DO $limit$
BEGIN
    ALTER ROLE {role} SET temp_file_limit = '1GB';
    ALTER ROLE {role} SET log_min_messages = 'fatal';
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'The role has no limit of temporary files and may write into the log: set temp_file_limit and log_min_messages at the server.';
END $limit$

-- name: drop
-- Purpose: ends a role of an analyst with its sessions. For an administrator, outside a transaction. Identifier: role; literal: name. Returns: nothing.
DO $end$
BEGIN
    ALTER ROLE {role} NOLOGIN;
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        EXECUTE pg_catalog.format('GRANT %I TO %I', {name}, current_user);
    END IF;
    PERFORM pg_catalog.pg_terminate_backend(a.pid) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = {name};
    DROP OWNED BY {role};
    DROP ROLE {role};
END $end$

-- name: forget
-- Purpose: a role reads for no user any longer, from the next statement on. Parameters: role. Returns: nothing.
DELETE FROM engine.sql_roles WHERE role_name = %(role)s

-- name: groups
-- Purpose: makes the two roles without a login that analysts need: neurigraph_views owns their views and has the rights of the request role, neurigraph_analysts may
-- read the views and is what the roles of analysts are members of. For an administrator. Identifier: database. Parameters: none. Returns: nothing.
DO $groups$
DECLARE
    group_name text;
BEGIN
    FOREACH group_name IN ARRAY '{{neurigraph_views,neurigraph_analysts}}'::text[] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = group_name) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', group_name);
        END IF;
    END LOOP;
    GRANT neurigraph_request TO neurigraph_views;
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        EXECUTE pg_catalog.format('GRANT neurigraph_views TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
END $groups$;
GRANT CONNECT ON DATABASE {database} TO neurigraph_analysts

-- name: list
-- Purpose: the roles of analysts. Parameters: none. Returns: role, handle, user_id (both null where it reads for no user), created_at, sessions (open ones).
SELECT p.rolname::text AS role, u.handle, s.user_id, s.created_at,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity AS a WHERE a.usename = p.rolname) AS sessions
FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS p ON p.oid = m.member
JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid AND g.rolname = 'neurigraph_analysts'
LEFT JOIN engine.sql_roles AS s ON s.role_oid = p.oid AND s.role_name = p.rolname LEFT JOIN engine.users AS u ON u.user_id = s.user_id
WHERE p.rolcanlogin ORDER BY p.rolname LIMIT 1000

-- name: mark
-- Purpose: marks the views of analysts with the checksum of the text that made them, as their owner; then the administrator goes on. Literal: mark. Returns: nothing.
COMMENT ON SCHEMA analysis IS {mark};
RESET ROLE

-- name: no_large_objects
-- Purpose: takes from PUBLIC what makes and writes large objects, the one thing that every role may write. For a superuser. Parameters: none. Returns: nothing.
REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid), pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_put(oid, bigint, bytea),
    pg_catalog.lowrite(integer, bytea), pg_catalog.lo_truncate(integer, integer), pg_catalog.lo_truncate64(integer, bigint), pg_catalog.lo_unlink(oid) FROM PUBLIC

-- name: note
-- Purpose: notes whom a role reads for, in place of what was noted of a role of this name before. Parameters: role, role_oid, user_id. Returns: nothing.
INSERT INTO engine.sql_roles (role_name, role_oid, user_id) VALUES (%(role)s, %(role_oid)s::bigint::oid, %(user_id)s)
ON CONFLICT (role_name) DO UPDATE SET role_oid = excluded.role_oid, user_id = excluded.user_id, created_at = now()

-- name: oid
-- Purpose: the oid of a role. Parameters: role. Returns: role_oid.
SELECT r.oid::bigint AS role_oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(role)s

-- name: state
-- Purpose: what an administrator finds before a role is made, dropped or given new views. Parameters: role.
-- Returns: one row: strong (the administrator is a superuser), there (a role of this name exists), analyst (it is one of ours), prepared (the
-- engine's tables know roles of analysts), views (the mark of the views that are there).
SELECT (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user) AS strong,
       EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.rolname = %(role)s) AS there,
       EXISTS (SELECT FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS r ON r.oid = m.member JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid
               WHERE r.rolname = %(role)s AND g.rolname = 'neurigraph_analysts' AND r.rolcanlogin) AS analyst,
       EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
               WHERE n.nspname = 'engine' AND c.relname = 'sql_roles') AS prepared,
       (SELECT obj_description(n.oid, 'pg_namespace') FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'analysis') AS views

-- name: views
-- Purpose: makes the schema `analysis` anew: twelve views for the roles of analysts (docs/sql.md). For an administrator, in a transaction.
-- Parameters: none. Returns: nothing; what follows in the transaction runs as neurigraph_views.
--
-- Each view reads by a function of neurigraph_views, a role without a login that has the rights of the request role and stands under its policies: a forgotten
-- condition shows nothing of others. The principal is the user of the role that opened the session; each function sets it before it reads, in place of whatever
-- the session has set. Functions in plpgsql hand over finished rows, so conditions of the caller meet only rows that it may read.
-- Call no function of the engine here that takes each session but that of the request role for the service (session_user): the session is the analyst's.
DO $make$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'analysis' AND pg_catalog.pg_get_userbyid(n.nspowner) <> 'neurigraph_views') THEN
        RAISE EXCEPTION 'There is a schema analysis that is not of Neurigraph.' USING ERRCODE = 'duplicate_schema';
    END IF;
END $make$;
SET LOCAL lock_timeout = '10s';
SET LOCAL ROLE neurigraph_views;
DROP SCHEMA IF EXISTS analysis CASCADE;
RESET ROLE;
CREATE SCHEMA analysis AUTHORIZATION neurigraph_views;
SET LOCAL ROLE neurigraph_views;

-- Sets the principal, for what the function that calls this reads next.
CREATE FUNCTION analysis.begin() RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reader uuid := (SELECT r.user_id FROM engine.sql_roles AS r JOIN pg_catalog.pg_roles AS p ON p.oid = r.role_oid AND p.rolname = r.role_name
                    WHERE r.role_name = session_user);
BEGIN
    IF reader IS NULL THEN
        RAISE EXCEPTION 'The role % reads for no user.', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM set_config('engine.principal_kind', 'user', true), set_config('engine.principal_id', reader::text, true);
END $$;

-- The nodes with their paths from the root down, those alone at or below analysis.below where the session sets it.
CREATE FUNCTION analysis.places() RETURNS TABLE (node_id uuid, path text, schema_name text) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.node_id, (SELECT string_agg(u.name, '/' ORDER BY u.layer) FROM engine.nodes AS u WHERE u.node_id = ANY (n.lineage)), n.schema_name
    FROM engine.nodes AS n
    WHERE n.state = 'live' AND n.known_to IS NULL
      AND coalesce(nullif(current_setting('analysis.below', true), '')::uuid = ANY (n.lineage), true)
$$;

-- The nodes whose tables are read: a statement locks each, and a server has only so many locks.
CREATE FUNCTION analysis.stores() RETURNS TABLE (node_id uuid, path text, schema_name text) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM analysis.places()) > 1000 THEN
        RAISE EXCEPTION 'One statement reads at most 1000 nodes.' USING ERRCODE = 'program_limit_exceeded',
            HINT = 'SET analysis.below = ''<node_id>'' reads one node and what lies below it.';
    END IF;
    RETURN QUERY SELECT p.node_id, p.path, p.schema_name FROM analysis.places() AS p ORDER BY p.path, p.node_id;
END $$;

CREATE FUNCTION analysis.read_nodes()
RETURNS TABLE (node_id uuid, path text, name text, node_type text, layer smallint, parent_id uuid, archived boolean, revision integer, created_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT n.node_id, p.path, n.name, n.node_type, n.layer, n.parent_id, n.archived, n.revision, n.created_at
                 FROM analysis.places() AS p JOIN engine.nodes AS n USING (node_id);
END $$;

CREATE FUNCTION analysis.read_records()
RETURNS TABLE (record_id uuid, node_id uuid, path text, title text, summary text, topics text[], content_type text, source text, source_id text, privacy text,
               scope text, scope_id text, tokens integer, occurred_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, revision integer,
               is_current boolean, valid_from timestamptz, valid_to timestamptz, known_from timestamptz, known_to timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    PERFORM analysis.begin();
    FOR place IN SELECT s.* FROM analysis.stores() AS s LOOP
        RETURN QUERY EXECUTE format(
            'SELECT coalesce(r.version_of, r.record_id), $1, $2, r.title, r.summary, r.kw_topics, r.content_type, r.source, r.source_id, r.privacy,'
            ' r.scope, r.scope_id, r.token_count, r.occurred_at, r.created_at, r.last_accessed_at, r.revision,'
            ' r.version_of IS NULL AND r.known_to IS NULL AND r.valid_to IS NULL, r.valid_from, r.valid_to, r.known_from, r.known_to'
            ' FROM %I.metadata_records AS r WHERE r.state = ''live''', place.schema_name) USING place.node_id, place.path;
    END LOOP;
END $$;

CREATE FUNCTION analysis.read_items()
RETURNS TABLE (item_id uuid, record_id uuid, node_id uuid, path text, kind text, "position" integer, speaker text, section text, content text, category text,
               tags text[], subjects text[], confidence real, importance real, words integer, tokens integer, access_count integer, privacy text, scope text,
               scope_id text, occurred_at timestamptz, created_at timestamptz, revision integer, is_current boolean, valid_from timestamptz,
               valid_to timestamptz, known_from timestamptz, known_to timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    PERFORM analysis.begin();
    FOR place IN SELECT s.* FROM analysis.stores() AS s LOOP
        RETURN QUERY EXECUTE format(
            'SELECT coalesce(i.version_of, i.item_id), i.record_id, $1, $2, i.kind, i.position, i.speaker, i.section, i.content, i.category, i.tags,'
            ' i.subjects, i.confidence, i.importance, i.word_count, i.token_count, i.access_count, i.privacy, i.scope, i.scope_id, i.occurred_at,'
            ' i.created_at, i.revision, i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL AND r.known_to IS NULL AND r.valid_to IS NULL,'
            ' i.valid_from, i.valid_to, i.known_from, i.known_to'
            ' FROM %1$I.memory_items AS i JOIN %1$I.metadata_records AS r ON r.record_id = i.record_id AND r.state = ''live''', place.schema_name)
        USING place.node_id, place.path;
    END LOOP;
END $$;

CREATE FUNCTION analysis.read_facts()
RETURNS TABLE (fact_id uuid, record_id uuid, node_id uuid, path text, content text, status text, fact_type text, category text, chain_id uuid, supersedes uuid,
               ended_by uuid, contradicts uuid, confirms uuid, confirmations integer, stale boolean, privacy text, scope text, scope_id text,
               said_at timestamptz, last_confirmed_at timestamptz, valid_from timestamptz, valid_to timestamptz, known_from timestamptz, known_to timestamptz,
               holds_until timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    PERFORM analysis.begin();
    FOR place IN SELECT s.* FROM analysis.stores() AS s LOOP
        RETURN QUERY EXECUTE format(
            'SELECT f.fact_id, f.record_id, $1, $2, i.content, f.status, f.fact_type, f.category, f.chain_id, f.supersedes, f.ended_by,'
            ' (SELECT d.older FROM engine.fact_doubts AS d WHERE d.newer = f.fact_id AND d.kind = ''contradicts'' AND d.decision IS NULL ORDER BY d.since LIMIT 1),'
            ' f.confirms, f.confirmations, f.stale, f.privacy, f.scope, f.scope_id, f.said_at, f.last_confirmed_at, f.valid_from, f.valid_to, f.known_from,'
            ' f.invalidated_at, (SELECT a.holds_until FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id)'
            ' FROM engine.facts AS f JOIN %I.memory_items AS i ON i.item_id = f.fact_id WHERE f.node_id = $1', place.schema_name)
        USING place.node_id, place.path;
    END LOOP;
END $$;

CREATE FUNCTION analysis.read_documents()
RETURNS TABLE (document_id uuid, version integer, node_id uuid, path text, title text, file_name text, file_id uuid, source_id text, passages integer,
               kept integer, added integer, superseded integer, is_current boolean, authored_by text, known_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT v.document_id, v.version, v.node_id, v.path, CASE WHEN v.newest THEN engine.record_title(v.document_id, v.node_id) ELSE v.title END,
                        v.file_name, v.file_id, v.source_id, cardinality(v.chunks), v.kept, v.added, v.superseded,
                        v.newest AND engine.record_holds(v.document_id, v.node_id), v.authored_by, v.known_at
                 FROM (SELECT o.*, d.node_id, p.path, o.version = max(o.version) OVER (PARTITION BY o.document_id) AS newest FROM engine.document_versions AS o
                       JOIN engine.documents AS d USING (document_id) JOIN analysis.places() AS p ON p.node_id = d.node_id) AS v;
END $$;

CREATE FUNCTION analysis.read_files()
RETURNS TABLE (file_id uuid, record_id uuid, node_id uuid, path text, file_name text, file_type text, media_type text, format text, size_bytes bigint,
               stored_bytes bigint, state text, changed_at timestamptz, created_at timestamptz, last_accessed_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    PERFORM analysis.begin();
    FOR place IN SELECT s.* FROM analysis.stores() AS s LOOP
        RETURN QUERY EXECUTE format(
            'SELECT m.file_id, m.record_id, $1, $2, CASE WHEN r.record_id IS NOT NULL THEN m.file_name END, m.file_type, m.content_type, m.compression_format, m.size_bytes, m.stored_bytes,'
            ' coalesce(l.to_state, ''dormant''), l.occurred_at, m.created_at, m.last_accessed_at FROM %1$I.file_manifest AS m'
            ' LEFT JOIN %1$I.metadata_records AS r ON r.record_id = m.record_id AND r.known_to IS NULL AND (r.valid_to IS NULL OR r.valid_to > now()) LEFT JOIN LATERAL'
            ' (SELECT e.to_state, e.occurred_at FROM engine.compression_state_log AS e WHERE e.node_id = $1 AND e.file_id = m.file_id'
            ' AND e.trigger <> ''review'' ORDER BY e.entry_id DESC LIMIT 1) AS l ON true', place.schema_name)
        USING place.node_id, place.path;
    END LOOP;
END $$;

CREATE FUNCTION analysis.read_changes()
RETURNS TABLE (delta_id uuid, node_id uuid, path text, subject_kind text, subject_id uuid, revision integer, effective_at timestamptz, changes jsonb,
               authored_by text, known_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    PERFORM analysis.begin();
    FOR place IN SELECT s.* FROM analysis.stores() AS s LOOP
        RETURN QUERY EXECUTE format(
            'SELECT d.delta_id, $1, $2, d.subject_kind, d.subject_id, d.revision, nullif(d.w_coordinate, ''-infinity''), d.payload, d.authored_by, d.created_at'
            ' FROM %I.delta_log AS d', place.schema_name) USING place.node_id, place.path;
    END LOOP;
END $$;

CREATE FUNCTION analysis.read_ingests()
RETURNS TABLE (session_id uuid, actor_kind text, actor_id uuid, state text, attempt integer, started_at timestamptz, ended_at timestamptz, sources_in integer,
               turns integer, files integer, records integer, items integer, superseded integer, skipped integer, failed integer, failure text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT s.session_id, s.actor_kind, s.actor_id, s.state, s.attempt, s.started_at, s.ended_at, s.sources_in, s.turns, s.files, s.records,
                        s.items, s.superseded, s.skipped, s.failed, s.failure FROM engine.ingest_sessions AS s;
END $$;

CREATE FUNCTION analysis.read_access_log()
RETURNS TABLE (entry_id bigint, occurred_at timestamptz, event text, node_id uuid, actor_kind text, actor_id uuid, subject_kind text, subject_id uuid,
               grant_id uuid, detail text, requests bigint, last_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT l.entry_id, l.occurred_at, l.event, l.node_id, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.grant_id, l.detail,
                        l.requests, coalesce(l.last_at, l.occurred_at) FROM engine.access_log AS l;
END $$;

CREATE FUNCTION analysis.read_entities()
RETURNS TABLE (entity_id uuid, name text, kind text, mentions integer, nodes integer, last_mentioned_at timestamptz, read_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT e.entity_id, e.name, e.kind, e.mentions, e.nodes, e.last_mentioned_at, e.read_at FROM engine.known_entities AS e;
END $$;

CREATE FUNCTION analysis.read_relations()
RETURNS TABLE (relation_id uuid, source_id uuid, source text, relation_type text, target_id uuid, target text, strength integer, confidence real, since text,
               read_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM analysis.begin();
    RETURN QUERY SELECT r.relation_id, r.source_id, s.name, r.relation_type, r.target_id, t.name, r.strength, r.confidence, r.since, r.read_at
                 FROM engine.known_relations AS r JOIN engine.known_entities AS s ON s.entity_id = r.source_id JOIN engine.known_entities AS t ON t.entity_id = r.target_id;
END $$;

CREATE VIEW analysis.nodes AS SELECT * FROM analysis.read_nodes();
CREATE VIEW analysis.records AS SELECT * FROM analysis.read_records();
CREATE VIEW analysis.items AS SELECT * FROM analysis.read_items();
CREATE VIEW analysis.facts AS SELECT * FROM analysis.read_facts();
CREATE VIEW analysis.facts_now AS SELECT * FROM analysis.read_facts()
    WHERE status = 'live' AND valid_from <= now() AND (valid_to IS NULL OR valid_to > now()) AND (holds_until IS NULL OR holds_until > now());
CREATE VIEW analysis.documents AS SELECT * FROM analysis.read_documents();
CREATE VIEW analysis.files AS SELECT * FROM analysis.read_files();
CREATE VIEW analysis.changes AS SELECT * FROM analysis.read_changes();
CREATE VIEW analysis.ingests AS SELECT * FROM analysis.read_ingests();
CREATE VIEW analysis.access_log AS SELECT * FROM analysis.read_access_log();
CREATE VIEW analysis.entities AS SELECT * FROM analysis.read_entities();
CREATE VIEW analysis.relations AS SELECT * FROM analysis.read_relations();

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA analysis FROM PUBLIC;
GRANT USAGE ON SCHEMA analysis TO neurigraph_analysts;
GRANT SELECT ON ALL TABLES IN SCHEMA analysis TO neurigraph_analysts;
GRANT EXECUTE ON FUNCTION analysis.read_nodes, analysis.read_records, analysis.read_items, analysis.read_facts, analysis.read_documents, analysis.read_files,
    analysis.read_changes, analysis.read_ingests, analysis.read_access_log, analysis.read_entities, analysis.read_relations TO neurigraph_analysts

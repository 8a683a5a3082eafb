-- Functions run no code of their caller, and raw SQL of a writer tells nothing of rows that it may not read.
--
-- Search paths. Postgres looks for types and tables in the caller's temporary schema first, unless a path names pg_temp: then where it is
-- named. A domain pg_temp.uuid with a check would so run a function of the caller's with the rights of the owner. Every function names
-- pg_temp last; engine.pin_search_paths gives that path after every migration, and PUBLIC may call none of them.
--
-- Oracles. A write that is refused looks the same whether a hidden row is there or not: policies are asked before keys and
-- references are, so what would collide with a hidden row, or refer to one, is refused by a policy.
--
-- Authors. What names an author names the principal of the transaction.

-- Shared tables ---------------------------------------------------------------------------------------------------------

-- Uses functions: doctor/node_holds
ALTER POLICY stored ON engine.documents
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
                AND engine.can('write', node_id) AND engine.node_holds(node_id, document_id, NULL));

-- Uses functions: access/principal_name
ALTER POLICY stored ON engine.document_versions
    WITH CHECK (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
                AND authored_by = (SELECT engine.principal_name())
                AND EXISTS (SELECT FROM engine.documents AS d WHERE d.document_id = document_versions.document_id
                            AND d.user_id = document_versions.user_id AND d.source_id = document_versions.source_id));

-- Uses functions: access/workspace_of
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
-- Uses functions: template/keep_ids
CREATE TRIGGER keep_ids BEFORE UPDATE ON engine.conversations FOR EACH ROW
    WHEN ((OLD.principal_kind, OLD.principal_id, OLD.node_id, OLD.user_id, OLD.source_id)
          IS DISTINCT FROM (NEW.principal_kind, NEW.principal_id, NEW.node_id, NEW.user_id, NEW.source_id))
    EXECUTE FUNCTION engine.keep_ids();

-- Uses functions: doctor/pin_search_paths
SELECT engine.pin_search_paths('_queue', '_queue, pg_catalog');
REVOKE ALL ON ALL ROUTINES IN SCHEMA _queue FROM PUBLIC;

-- What stands in a row of an append-only table in place of a value that a forgetting takes away, by the table and the column; NULL where the column stays as it is.
CREATE OR REPLACE FUNCTION engine.emptied(p_forgetting engine.forgettings, p_table text, p_column text, p_value jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    of_user boolean := p_forgetting.kind IN ('user', 'workspace');
    of_node boolean := of_user OR p_forgetting.kind = 'node';
    said text := p_value #>> '{}';
BEGIN
    RETURN CASE
        WHEN p_table = 'delta_log' AND p_column = 'payload' AND p_value ->> 'operation' IS DISTINCT FROM 'forgotten'
            THEN jsonb_build_object('operation', 'forgotten', 'forgetting', p_forgetting.forgetting_id, 'fields', '{}'::jsonb)
        WHEN p_table IN ('compression_state_log', 'commit_log') AND p_column = 'detail' AND said !~ '^forgotten [0-9a-f-]{36}$'
            THEN to_jsonb('forgotten ' || p_forgetting.forgetting_id)
        WHEN (p_table, p_column) IN (('delta_log', 'subject_id'), ('delta_log', 'delta_id'), ('delta_log', 'previous_delta_id'),
                                     ('compression_state_log', 'file_id'), ('commit_log', 'commit_id'))
             OR of_node AND (p_table, p_column) IN (('compression_state_log', 'node_id'), ('compression_state_log', 'actor_id'), ('access_log', 'actor_id'),
                                                    ('access_log', 'subject_id'))
             OR of_user AND (p_table, p_column) IN (('compression_state_log', 'user_id'), ('commit_log', 'user_id'))
            THEN to_jsonb(engine.surrogate(said::uuid))
        WHEN of_node AND p_column IN ('authored_by', 'author', 'actor') AND said ~ '^[a-z_]+:[0-9a-f-]{36}$'  -- a persona that goes wrote at others, too
            THEN to_jsonb(engine.surrogate_name(said))
        WHEN p_forgetting.kind = 'node' AND (p_table, p_column) = ('assignments', 'moved_from')  -- where a record that stays lay before
            THEN 'null'::jsonb
        WHEN p_forgetting.kind = 'node' AND (p_table, p_column) = ('assignments', 'reasons') AND p_value ? 'runner_up'  -- the node where it would have come next
            THEN p_value - 'runner_up' - 'runner_up_evidence'
    END;
END $$;

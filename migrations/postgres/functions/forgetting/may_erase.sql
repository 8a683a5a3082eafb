-- Whether this transaction may take a row of an append-only table away (p_new NULL) or change it so: with the permit of a forgetting of the user whose row it is, and
-- then only into its emptied form, in which nothing can be written; lines of the logs stay. Triggers ask it, after their own rules.
CREATE OR REPLACE FUNCTION engine.may_erase(p_schema text, p_table text, p_old jsonb, p_new jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    forgetting engine.forgettings := engine.erasing();
    of_user uuid;
BEGIN
    IF forgetting.forgetting_id IS NULL THEN
        RETURN false;
    END IF;
    of_user := CASE p_table
        WHEN 'delta_log' THEN (SELECT n.user_id FROM engine.nodes AS n WHERE n.schema_name = p_schema)
        WHEN 'access_log' THEN coalesce(p_old ->> 'user_id', p_old ->> 'actor_id')::uuid
        WHEN 'accepted_damage' THEN (SELECT n.user_id FROM engine.nodes AS n WHERE n.node_id = (p_old ->> 'node_id')::uuid)
        WHEN 'retracted_facts' THEN (SELECT r.user_id FROM engine.retractions AS r WHERE r.retraction_id = (p_old ->> 'retraction_id')::uuid)
        ELSE (p_old ->> 'user_id')::uuid END;
    IF of_user IS DISTINCT FROM forgetting.user_id THEN
        RETURN false;
    ELSIF p_new IS NULL THEN
        RETURN p_table IN ('access_log', 'accepted_damage', 'assignments', 'document_versions', 'event_log', 'failure_log', 'grants', 'holds', 'ingest_sources',
                           'raw_resources', 'retracted_facts');
    END IF;
    RETURN p_new <> p_old AND NOT EXISTS (
            SELECT FROM jsonb_each(p_old) AS o JOIN jsonb_each(p_new) AS n ON n.key = o.key
            WHERE n.value <> o.value AND n.value IS DISTINCT FROM engine.emptied(forgetting, p_table, o.key, o.value))
        -- an id is taken away only with all that was said of it; who had a right at a node that stays is told by nothing else of the line
        AND (p_table = 'access_log'
             OR (p_new -> 'subject_id', p_new -> 'file_id', p_new -> 'commit_id') IS NOT DISTINCT FROM (p_old -> 'subject_id', p_old -> 'file_id', p_old -> 'commit_id')
             OR coalesce(p_new #>> '{payload,operation}', split_part(p_new ->> 'detail', ' ', 1)) = 'forgotten');
END $$;

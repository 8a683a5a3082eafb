-- Whether a commit withdraws, renames or joins entities or relations, or may: by the kinds of its changes, and by what they hold.
CREATE OR REPLACE FUNCTION engine.may_withdraw(p_kinds text[], p_payload jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p_kinds && ARRAY['record_retracted', 'record_reworded', 'record_revised', 'entities_merged', 'merge_undone', 'entity_corrected', 'relation_decided']
        OR jsonb_path_exists(p_payload, '$.changes[*].mentions[*] ? (@.revision > 1)')
        OR jsonb_path_exists(p_payload, '$.changes[*].facts[*].stated[*].state ? (@.status == "withdrawn")')
$$;

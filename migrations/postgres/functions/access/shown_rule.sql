-- The condition under which a row of a node's records or items is shown to the principal, as text, for policies. search_worded,
-- which reads as the owner of the tables, has it in its statement.
CREATE OR REPLACE FUNCTION engine.shown_rule(p_node uuid, p_field text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('(SELECT engine.shown_from(%L::uuid, %L)) <= CASE WHEN privacy = ''private'' THEN ''-infinity'''
                  ' WHEN known_to IS NULL AND valid_to IS NULL THEN ''infinity'''
                  ' WHEN (least(known_to, valid_to) > moved_at) IS NOT FALSE THEN greatest(least(known_to, valid_to), ''4000-01-01 00:00+00 BC'')'
                  ' ELSE ''4000-01-01 00:00+00 BC'' END', p_node, p_field);  -- moved here after it had ended
END $$;

-- Ends and adds slices of a node's name and place: each has slice_id and known_to, or all columns.
CREATE OR REPLACE FUNCTION engine.note_node_slices(p_node uuid, p_user uuid, p_slices jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part jsonb;
BEGIN
    FOR part IN SELECT * FROM jsonb_array_elements(p_slices) LOOP
        IF part ? 'name' THEN
            INSERT INTO engine.node_slices (slice_id, node_id, user_id, name, parent_id, valid_from, valid_to, known_from, known_to)
            VALUES ((part ->> 'slice_id')::uuid, p_node, p_user, part ->> 'name', (part ->> 'parent_id')::uuid,
                    coalesce((part ->> 'valid_from')::timestamptz, '-infinity'), (part ->> 'valid_to')::timestamptz,
                    (part ->> 'known_from')::timestamptz, (part ->> 'known_to')::timestamptz);
        ELSE
            UPDATE engine.node_slices AS s SET known_to = (part ->> 'known_to')::timestamptz
            WHERE s.slice_id = (part ->> 'slice_id')::uuid AND s.node_id = p_node;
        END IF;
    END LOOP;
END $$;

-- Gives the columns of all used slots of a node the type that their versions need. If the type of a slot changes, its vectors are
-- dropped: they belong to a version that freed the slot. Vectors of the active version are never changed.
CREATE OR REPLACE FUNCTION engine.shape_slots(p_schema text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

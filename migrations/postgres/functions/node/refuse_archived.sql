-- Trigger: refuses a commit with new records or children of an archived node by any author.
CREATE OR REPLACE FUNCTION engine.refuse_archived() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    records jsonb := CASE jsonb_typeof(NEW.payload -> 'records') WHEN 'array' THEN NEW.payload -> 'records' ELSE '[]' END;
BEGIN
    IF EXISTS (SELECT FROM engine.nodes AS n WHERE cardinality(n.archivings) % 2 = 1 AND (
                   n.node_id = (NEW.payload -> 'node' ->> 'parent_id')::uuid
                   OR n.node_id IN (SELECT (r ->> 'node_id')::uuid FROM jsonb_array_elements(records) AS r))) THEN
        RAISE EXCEPTION 'The node is archived: writes are refused.' USING ERRCODE = 'NG423';
    END IF;
    RETURN NEW;
END $$;

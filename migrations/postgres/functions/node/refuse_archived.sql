-- Trigger: refuses a commit with new records or children of an archived node by any author.
CREATE OR REPLACE FUNCTION engine.refuse_archived() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM engine.graph_changes(NEW.kind, NEW.payload) AS c,
                   jsonb_path_query(c.change, CASE c.kind WHEN 'node' THEN '$.node.parent_id' WHEN 'records' THEN '$.records[*].node_id'
                                                          ELSE '$.none' END::jsonpath) AS p (id)
               JOIN engine.nodes AS n ON n.node_id = (p.id #>> '{}')::uuid AND cardinality(n.archivings) % 2 = 1) THEN
        RAISE EXCEPTION 'The node is archived: writes are refused.' USING ERRCODE = 'NG423';
    END IF;
    RETURN NEW;
END $$;

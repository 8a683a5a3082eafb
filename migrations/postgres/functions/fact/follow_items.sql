-- Facts, by their ids or their records, that follow a change of their items or records by hand: as `settle_facts` makes them, with their texts of now, each as a new
-- revision, which a commit of the same transaction carries into the graph. For the user of the graph, nothing for anyone else: there a job does it.
CREATE OR REPLACE FUNCTION engine.follow_items(p_node uuid, p_facts uuid[], p_records uuid[], p_now timestamptz)
RETURNS TABLE (fact engine.facts, text text, doubts jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    owner uuid := engine.principal_user();
    ids uuid[] := ARRAY(SELECT f.fact_id FROM engine.facts AS f WHERE f.user_id = owner AND f.node_id = p_node AND f.status <> 'confirmation'
                        AND (f.fact_id = ANY (p_facts) OR f.record_id = ANY (p_records)));
BEGIN
    IF ids = '{}' THEN
        RETURN;
    END IF;
    PERFORM engine.settle_facts(p_node, p_now, ids);
    UPDATE engine.facts AS f SET revision = f.revision + 1, graph_revision = CASE WHEN f.graph_revision > 0 THEN f.revision + 1 ELSE 0 END
    WHERE f.fact_id = ANY (ids);
    RETURN QUERY EXECUTE format(
        'SELECT f, i.content, engine.doubts_of(f.fact_id) FROM engine.facts AS f JOIN %I.memory_items AS i ON i.item_id = f.fact_id WHERE f.fact_id = ANY ($1)',
        (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = p_node)) USING ids;
END $$;
GRANT EXECUTE ON FUNCTION engine.follow_items TO neurigraph_request;

-- Live facts about the same as new ones, the nearest of each, with their texts and how near their meanings are; only those that the
-- principal may read. The same is: the same entity, or, where one of the two facts has none, a subject of the same name. Waits until
-- no other transaction decides about one of these, in one order for all, and keeps them until its own end: what is read is what was
-- decided last. p_lines: fact, subject, entity (or null), vector; p_column, p_version: of their vectors.
-- Facts are looked up by entity and by subject before anything else is asked of them: by node, all of a node would be read for a new subject.
CREATE OR REPLACE FUNCTION engine.facts_near(p_lines jsonb, p_column text, p_version text, p_most integer)
RETURNS TABLE (fact_id uuid, content text, place integer, likeness jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    graph uuid := engine.principal_graph();
    subjects bigint[] := (SELECT array_agg(DISTINCT l.subject) FROM jsonb_to_recordset(p_lines) AS l (subject bigint));
    entities bigint[] := (SELECT array_agg(DISTINCT l.entity) FROM jsonb_to_recordset(p_lines) AS l (entity bigint) WHERE l.entity IS NOT NULL);
    held bigint;
    node record;
    places uuid[];
BEGIN
    FOR held IN SELECT DISTINCT h FROM unnest(subjects || entities) AS h ORDER BY 1 LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(format('neurigraph facts %s %s', graph, held), 0));
    END LOOP;
    places := ARRAY(SELECT f.node_id FROM engine.facts AS f WHERE f.user_id = graph AND f.subject = ANY (subjects) AND f.status = 'live'
                    UNION SELECT f.node_id FROM engine.facts AS f WHERE f.user_id = graph AND f.entity = ANY (entities) AND f.status = 'live');
    FOR node IN
        SELECT n.node_id, n.schema_name, engine.owns(n.node_id) AS owned FROM engine.nodes AS n
        WHERE n.node_id = ANY (places) AND n.user_id = graph AND n.template_version = engine.template_version()
              AND engine.can('read', n.node_id, 'items')
        ORDER BY n.node_id
    LOOP
        CONTINUE WHEN to_regclass(format('%I.memory_items', node.schema_name)) IS NULL;  -- damaged: facts of other nodes are decided without it
        RETURN QUERY EXECUTE format(
            'WITH lines AS MATERIALIZED (SELECT l.fact, l.subject, l.entity, l.vector::vector AS vector'
            '                            FROM jsonb_to_recordset($1) AS l (fact uuid, subject bigint, entity bigint, vector text)),'
            ' near AS (SELECT f.fact_id, i.content, i.position, l.fact,'
            '                 CASE WHEN i.%2$I = $5 THEN 1 - (i.%3$I::vector <=> l.vector) END AS likeness'
            '          FROM lines AS l CROSS JOIN LATERAL ('
            '              SELECT s.fact_id, s.node_id, s.privacy FROM engine.facts AS s'
            '              WHERE s.user_id = $2 AND s.subject = l.subject AND s.status = ''live'' AND coalesce(s.entity = l.entity, true)'
            '              UNION SELECT s.fact_id, s.node_id, s.privacy FROM engine.facts AS s'
            '              WHERE s.user_id = $2 AND s.entity = l.entity AND s.status = ''live'') AS f'
            '          JOIN %1$I.memory_items AS i ON i.item_id = f.fact_id AND i.known_to IS NULL AND i.valid_to IS NULL'
            '          WHERE f.node_id = $3 AND f.fact_id <> l.fact AND (f.privacy <> ''private'' OR $4)),'
            ' ranked AS (SELECT *, row_number() OVER (PARTITION BY fact ORDER BY likeness DESC NULLS LAST, fact_id) AS rank FROM near)'
            ' SELECT fact_id, min(content), min(position), jsonb_object_agg(fact, likeness) FROM ranked WHERE rank <= $6 GROUP BY fact_id',
            node.schema_name, p_column || '_version', p_column)
        USING p_lines, graph, node.node_id, node.owned, p_version, p_most;
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION engine.facts_near TO neurigraph_request;

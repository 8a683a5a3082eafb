-- What these nodes lack of what a new node is made of, or have otherwise, each with the statement that makes it again: policies, rights, row-level
-- security, triggers, keys, constraints, indexes, columns; and policies that a new node has not, with the statement that drops them: they may show
-- rows to others, or hide them. A new node is made for the comparison, and rolled back. Only nodes whose tables are of the
-- newest version; columns of vectors have the type that their embedding version needs.
CREATE OR REPLACE FUNCTION engine.node_lacks(p_nodes uuid[]) RETURNS TABLE (node_id uuid, kind text, place text, name text, statement text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    model uuid := '00000000-0000-0000-0000-000000000000';
    wanted jsonb;
BEGIN
    BEGIN
        PERFORM engine.create_node_schema(model, 'model_' || pg_backend_pid());
        SELECT jsonb_agg(d) INTO wanted FROM engine.schema_definitions(ARRAY['model_' || pg_backend_pid()]) AS d;
        RAISE EXCEPTION USING ERRCODE = 'NG000';
    EXCEPTION WHEN SQLSTATE 'NG000' THEN NULL;
    END;
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT n.node_id, n.schema_name FROM engine.nodes AS n
        WHERE n.node_id = ANY (p_nodes) AND n.state = 'live' AND n.template_version = engine.template_version() AND to_regnamespace(quote_ident(n.schema_name)) IS NOT NULL
    ), there AS MATERIALIZED (
        SELECT a.node_id, a.schema_name, d.kind, d.place, d.name, translate(replace(d.statement, a.node_id::text, model::text), '()', '') AS statement
        FROM engine.schema_definitions(ARRAY(SELECT a.schema_name FROM asked AS a)) AS d JOIN asked AS a USING (schema_name)
    )
    SELECT l.node_id, l.kind, l.place, l.name, l.statement FROM (
    SELECT a.node_id, w.kind, w.place, w.name,
           replace(replace(replace(CASE WHEN EXISTS (SELECT FROM pg_constraint AS k WHERE k.conname = w.name AND k.connamespace = to_regnamespace(quote_ident(a.schema_name)))
                                        THEN replace(w.statement, 'CONSTRAINT {name} ', '') ELSE w.statement END,  -- an older node may use the name for another
                                   '{schema}', quote_ident(a.schema_name)), model::text, a.node_id::text), '{name}', quote_ident(w.name)) AS statement
    FROM asked AS a, jsonb_to_recordset(wanted) AS w (kind text, place text, name text, statement text)
    WHERE NOT (w.kind = 'column' AND starts_with(w.name, 'embedding'))
      AND NOT EXISTS (SELECT FROM there AS t WHERE t.node_id = a.node_id AND t.kind = w.kind AND t.place = w.place AND t.statement = translate(w.statement, '()', ''))
    UNION ALL SELECT t.node_id, t.kind, t.place, t.name, format('DROP POLICY %I ON %I.%I', t.name, t.schema_name, t.place)
    FROM there AS t WHERE t.kind = 'policy'
      AND NOT EXISTS (SELECT FROM jsonb_to_recordset(wanted) AS w (kind text, place text, name text) WHERE (w.kind, w.place, w.name) = (t.kind, t.place, t.name))) AS l
    ORDER BY l.node_id, array_position(ARRAY['schema', 'table', 'column', 'column setting', 'constraint', 'index', 'trigger', 'policy', 'rights', 'row-level security'], l.kind),
             l.statement LIKE '% FOREIGN KEY %', l.place, l.name;  -- keys before what refers to them
END $$;

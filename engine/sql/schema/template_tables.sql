-- Purpose: keeps the columns and constraints of the template as text, for `engine.create_node_schema`: one CREATE TABLE with all of them costs
-- a third less than LIKE, which adds each constraint by itself. Made again after migrations, which alone change the template.
-- Parameters: none. Returns: nothing.
DO $$
BEGIN
    DROP MATERIALIZED VIEW IF EXISTS engine.template_tables;
    CREATE MATERIALIZED VIEW engine.template_tables AS
    SELECT c.relname::text AS name, string_agg(p.definition, ', ' ORDER BY p.place, p.definition) AS definition
    FROM pg_class AS c CROSS JOIN LATERAL (
        SELECT a.attnum AS place, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attstorage <> t.typstorage THEN
                   'STORAGE ' || CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
               CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS definition
        FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 10000, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint AS k
        WHERE k.conrelid = c.oid AND k.contype IN ('c', 'p', 'u')) AS p
    WHERE c.relnamespace = 'template'::regnamespace AND c.relkind = 'r'
    GROUP BY c.relname;
    COMMENT ON MATERIALIZED VIEW engine.template_tables IS 'The columns and constraints of the node tables as text, from which new nodes are made.';
    COMMENT ON COLUMN engine.template_tables.name IS 'the table';
    COMMENT ON COLUMN engine.template_tables.definition IS 'its columns and constraints';
END $$

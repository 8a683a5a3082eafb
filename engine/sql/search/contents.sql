-- Purpose: the contents of the items that a search shows: texts, their record and its file, the path of their node.
-- Parameters: nodes and items (uuid[] of one length: each item as the scan named it, with its node), as_of and known_at (NULL for the present), now.
-- Returns: node_id, row_id (the item as the scan named it), path, and the columns of engine.search_contents; no row for an item that is gone.
WITH moment AS (
    SELECT coalesce(%(as_of)s::timestamptz, %(now)s) AS as_of, coalesce(%(known_at)s::timestamptz, 'infinity') AS known_at
), places AS MATERIALIZED (
    SELECT n.node_id, n.schema_name, n.template_version, n.lineage, array_agg(a.item_id) AS items
    FROM unnest(%(nodes)s::uuid[], %(items)s::uuid[]) AS a (node_id, item_id) JOIN engine.nodes AS n USING (node_id)
    GROUP BY n.node_id, n.schema_name, n.template_version, n.lineage
)
SELECT p.node_id, t.row_id, t.item_id, t.record_id, t.source_ref, t.content, t.section, t.record_title, t.record_summary, t.content_type,
       t.file_id, t.file_name, t.file_state, t.scope, t.scope_id, t.source,
       CASE WHEN %(as_of)s::timestamptz IS NULL AND %(known_at)s::timestamptz IS NULL  -- names that may be read
            THEN (SELECT array_agg(above.name ORDER BY above.layer) FROM engine.nodes AS above WHERE above.node_id = ANY (p.lineage))
            ELSE engine.path_at(p.node_id, m.as_of, m.known_at) END AS path
FROM moment AS m, places AS p, engine.search_contents(p.schema_name, p.template_version, p.items, m.as_of, m.known_at) AS t

-- Purpose: how many of the nodes that were found damaged still are; at most 100 are looked at again. Service only. Parameters: none. Returns: nodes.
SELECT count(*) AS nodes
FROM (SELECT d.reason, n.schema_name, n.template_version FROM engine.damage AS d JOIN engine.nodes AS n USING (node_id)
      ORDER BY d.node_id LIMIT 100) AS d
WHERE starts_with(d.reason, 'its rows') OR engine.node_damage(d.schema_name, d.template_version) IS NOT NULL

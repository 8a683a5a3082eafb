-- Purpose: facts of a node of which it is not known yet whether they speak of an attribute. Service only. Identifiers: schema. Parameters: node_id, after (fact_id), most.
-- Returns: fact_id, content, subject, said_at.
SELECT f.fact_id, i.content, coalesce(nullif(i.subjects[1], ''), i.content) AS subject, f.said_at
FROM engine.facts AS f JOIN {schema}.memory_items AS i ON i.item_id = f.fact_id
WHERE f.node_id = %(node_id)s AND f.fact_id > %(after)s AND NOT EXISTS (SELECT FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id)
ORDER BY f.fact_id LIMIT %(most)s

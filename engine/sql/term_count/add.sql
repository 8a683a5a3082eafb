-- Purpose: adds documents to the counts of a node, in the order of terms so that writers cannot lock each other out.
-- Parameters: schema (of the node), unit, terms, counts (arrays of one length). Returns: nothing.
WITH place AS MATERIALIZED (SELECT n.user_id, n.node_id FROM engine.nodes AS n WHERE n.schema_name = %(schema)s)
INSERT INTO engine.term_counts AS t (user_id, term, node_id, unit, documents)
SELECT (SELECT user_id FROM place), added.term, (SELECT node_id FROM place), %(unit)s, added.documents
FROM unnest(%(terms)s::integer[], %(counts)s::integer[]) AS added (term, documents) ORDER BY added.term
ON CONFLICT (user_id, term, node_id, unit) DO UPDATE SET documents = t.documents + excluded.documents

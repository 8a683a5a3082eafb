-- name: add
-- Purpose: adds documents to the counts of a node, in the order of terms so that writers cannot lock each other out.
-- Parameters: schema (of the node), unit, terms, counts (arrays of one length). Returns: nothing.
WITH place AS MATERIALIZED (SELECT n.user_id, n.node_id FROM engine.nodes AS n WHERE n.schema_name = %(schema)s)
INSERT INTO engine.term_counts AS t (user_id, term, node_id, unit, documents)
SELECT (SELECT user_id FROM place), added.term, (SELECT node_id FROM place), %(unit)s, added.documents
FROM unnest(%(terms)s::integer[], %(counts)s::integer[]) AS added (term, documents) ORDER BY added.term
ON CONFLICT (user_id, term, node_id, unit) DO UPDATE SET documents = t.documents + excluded.documents

-- name: take
-- Purpose: takes documents out of the counts of a node, in the order of terms so that writers cannot lock each other out.
-- Parameters: schema (of the node), unit, terms, counts (arrays of one length). Returns: nothing.
WITH place AS MATERIALIZED (
    SELECT n.user_id, n.node_id FROM engine.nodes AS n WHERE n.schema_name = %(schema)s
), held AS MATERIALIZED (
    SELECT t.user_id, t.term, t.node_id, t.unit FROM engine.term_counts AS t
    WHERE t.user_id = (SELECT user_id FROM place) AND t.node_id = (SELECT node_id FROM place)
      AND t.unit = %(unit)s AND t.term = ANY (%(terms)s::integer[]) ORDER BY t.term LIMIT 1000001 FOR UPDATE
)
UPDATE engine.term_counts AS t SET documents = greatest(0, t.documents - taken.documents)
FROM held JOIN unnest(%(terms)s::integer[], %(counts)s::integer[]) AS taken (term, documents) ON taken.term = held.term
WHERE t.user_id = held.user_id AND t.term = held.term AND t.node_id = held.node_id AND t.unit = held.unit

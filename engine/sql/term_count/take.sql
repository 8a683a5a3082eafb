-- Purpose: takes documents out of the node's counts, in the order of terms so that writers cannot lock each other out.
-- Identifier: schema. Parameters: unit, terms, counts (arrays of one length). Returns: nothing.
WITH held AS MATERIALIZED (
    SELECT t.unit, t.term FROM {schema}.term_counts AS t
    WHERE t.unit = %(unit)s AND t.term = ANY (%(terms)s::integer[]) ORDER BY t.term LIMIT 1000001 FOR UPDATE
)
UPDATE {schema}.term_counts AS t SET documents = greatest(0, t.documents - taken.documents)
FROM held JOIN unnest(%(terms)s::integer[], %(counts)s::integer[]) AS taken (term, documents) ON taken.term = held.term
WHERE t.unit = held.unit AND t.term = held.term

-- Purpose: adds documents to the node's counts, in the order of terms so that writers cannot lock each other out.
-- Identifier: schema. Parameters: unit, terms, counts (arrays of one length). Returns: nothing.
INSERT INTO {schema}.term_counts AS t (unit, term, documents)
SELECT %(unit)s, added.term, added.documents
FROM unnest(%(terms)s::integer[], %(counts)s::integer[]) AS added (term, documents) ORDER BY added.term
ON CONFLICT (unit, term) DO UPDATE SET documents = t.documents + excluded.documents

-- Purpose: takes a document that changed out of the node's counts of terms that it no longer has. Identifier: schema.
-- Parameters: unit, terms. Returns: nothing.
UPDATE {schema}.term_counts SET documents = greatest(0, documents - 1) WHERE unit = %(unit)s AND term = ANY (%(terms)s)

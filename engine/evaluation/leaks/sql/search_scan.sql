-- Purpose: scans any nodes by the names of their schemas, as a search does: for the leak fuzzer.
-- Parameters: user_id, nodes, schemas (arrays of one length), scopes, terms. Returns: id of each item.
SELECT s.item_id::text AS id
FROM engine.search_vectors(%(user_id)s, %(nodes)s::uuid[], %(schemas)s::text[], ARRAY[]::integer[], %(terms)s::integer[], %(scopes)s::text[]) AS v,
     engine.search_scan(%(nodes)s::uuid[], %(schemas)s::text[], array_fill(engine.template_version(), ARRAY[cardinality(%(nodes)s::uuid[])]),
                        NULL, '', v.items, v.records, NULL, NULL, %(scopes)s::text[], now(), now(), NULL) AS s

-- Purpose: scans any nodes by the names of their schemas, as a search does: for the leak fuzzer.
-- Parameters: nodes, schemas (arrays of one length), terms. Returns: id of each item.
SELECT s.item_id::text AS id
FROM engine.search_vectors(%(schemas)s::text[], %(terms)s::integer[]) AS v,
     engine.search_scan(%(nodes)s::uuid[], %(schemas)s::text[], NULL, '', v.items, v.records, NULL, now(), now()) AS s

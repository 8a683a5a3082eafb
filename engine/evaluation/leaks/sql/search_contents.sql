-- Purpose: contents of any items of any node, as a search shows them: for the leak fuzzer.
-- Parameters: schema_name, items. Returns: id, record_id, file_id.
SELECT item_id::text AS id, record_id::text AS record_id, file_id::text AS file_id
FROM engine.search_contents(%(schema_name)s, engine.template_version(), %(items)s::uuid[], now(), now())

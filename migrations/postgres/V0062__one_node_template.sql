-- The tables of all nodes are brought to the newest version before an engine serves: reads and writes know no older ones.
DROP FUNCTION IF EXISTS engine.search_scan(uuid[], text[], integer[], public.vector, text, public.sparsevec, public.sparsevec, text[], text[], text[], timestamptz, timestamptz, jsonb);
DROP FUNCTION IF EXISTS engine.search_vectors(uuid, uuid[], text[], integer[], integer[], text[]);
DROP FUNCTION IF EXISTS engine.search_counts(uuid, uuid[], text[], integer[], integer[]);
DROP FUNCTION IF EXISTS engine.search_contents(text, integer, uuid[], timestamptz, timestamptz);
DROP FUNCTION IF EXISTS engine.search_nodes(uuid, uuid[], timestamptz, timestamptz, integer);
DROP FUNCTION IF EXISTS engine.search_younger_nodes(uuid, uuid[], timestamptz, timestamptz, integer);
DROP FUNCTION IF EXISTS engine.upgrade_nodes(uuid[], integer);
DROP FUNCTION IF EXISTS engine.require_current(uuid[]);
DELETE FROM engine.derivations WHERE name = 'tables';

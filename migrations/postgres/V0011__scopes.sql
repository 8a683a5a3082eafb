-- Scopes and sources: to what a record and its items belong, and how they came in.
--
--   scope   user       part of the user's memory everywhere
--           thread, workflow   belongs to the one that scope_id names
--   source  ingested   came in with a conversation or a file
--           manual     written by hand
--           extracted  derived from what was stored, by the engine or a model
--
-- Who may read it. What is scoped is private, and a CHECK holds that; so whatever guards what is private guards it too: the
-- policies of every table, the counts of words, the counts and manifests of the graph, deltas and files. A persona or an
-- integration cannot ask "as somebody who works in that thread": an id of a thread is no secret, and whoever names one would
-- be let in. Only the user reads and writes within a scope.
--
-- What a search looks at is not a matter of rights: it names scopes (thread:a1, workflow:w7) beside what is the user's, and looks
-- at no other. It can only take rows away from what the policies give.

ALTER TABLE template.metadata_records
    ADD COLUMN scope text NOT NULL DEFAULT 'user' CHECK (scope IN ('user', 'thread', 'workflow')),
    ADD COLUMN scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    ADD COLUMN source text NOT NULL DEFAULT 'ingested' CHECK (source IN ('manual', 'extracted', 'ingested')),
    ADD CONSTRAINT scope_has_id CHECK ((scope = 'user') = (scope_id IS NULL)),
    ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private');
ALTER TABLE template.memory_items
    ADD COLUMN scope text NOT NULL DEFAULT 'user' CHECK (scope IN ('user', 'thread', 'workflow')),
    ADD COLUMN scope_id text CHECK (char_length(scope_id) BETWEEN 1 AND 200),
    ADD COLUMN source text NOT NULL DEFAULT 'ingested' CHECK (source IN ('manual', 'extracted', 'ingested')),
    ADD CONSTRAINT scope_has_id CHECK ((scope = 'user') = (scope_id IS NULL)),
    ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private');
-- Words of what is scoped are counted apart: outside of scopes they do not make a word less rare.
ALTER TABLE template.term_counts DROP CONSTRAINT term_counts_unit_check,
    ADD CONSTRAINT term_counts_unit_check CHECK (unit IN (
        'turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
        'private scoped turn', 'private scoped passage', 'private scoped record'));

-- Where a search looks, as before, and of which version the tables there are: what an older one has not got is not asked for.
DROP FUNCTION IF EXISTS engine.search_nodes;

-- As before, but for two things: every unit that ends in "record" counts records, also that of what is scoped; and what is
-- scoped does not count in a search that names no scope.
DROP FUNCTION IF EXISTS engine.search_vectors;

-- One scan per node: words and meaning of every item together, and the words of its record. Only items of live records, as
-- they were at the moment, of the scopes that are named and the user's own, and that came in in one of p_sources (NULL: all).
-- Vectors of another version are not compared: meaning is NULL then. p_templates: the versions of the tables (search_nodes).
DROP FUNCTION IF EXISTS engine.search_scan;

-- What a reader is shown of chosen items (`row_id`: of the slice that was found): the item, its record at the moment, its file,
-- to what they belong and how they came in.
DROP FUNCTION IF EXISTS engine.search_contents;

DROP FUNCTION IF EXISTS engine.has_slices, engine.has_slot_b;

-- What kinds of changes a commit holds, for those who look for commits of a kind: its row may hold several changes. The column `kind`
-- stays that of the first, as which the commit is listed.
-- Uses functions: commit/graph_changes, commit/change_kinds

ALTER TABLE engine.outbox ADD COLUMN kinds text[] NOT NULL GENERATED ALWAYS AS (engine.change_kinds(kind, payload)) STORED;

DROP FUNCTION IF EXISTS engine.discard_node(engine.outbox);

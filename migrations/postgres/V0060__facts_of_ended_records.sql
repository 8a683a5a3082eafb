-- A fact ends with its record, and the graph shows its text as it is now: the job looks at facts of before again, and carries each there once more.
DROP FUNCTION IF EXISTS engine.settle_facts(uuid, timestamptz);
INSERT INTO engine.due (derivation, node_id) SELECT DISTINCT 'chains', f.node_id FROM engine.facts AS f ON CONFLICT DO NOTHING;
UPDATE engine.facts AS f SET revision = f.revision + 1 WHERE f.graph_revision > 0;

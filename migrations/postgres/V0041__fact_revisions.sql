-- Facts in the graph: each has a number that every change of it raises, and the one that a commit has carried into the graph, or will. Where the
-- second is smaller, a job carries the fact there: facts of before this release, and those that were changed without a commit.

ALTER TABLE engine.facts
    ADD COLUMN revision       bigint NOT NULL DEFAULT 1 CHECK (revision > 0),
    ADD COLUMN graph_revision bigint NOT NULL DEFAULT 0 CHECK (graph_revision >= 0);
CREATE INDEX facts_behind ON engine.facts (user_id, fact_id) WHERE revision > graph_revision;
-- Uses functions: fact/raise_fact_revision
CREATE TRIGGER revised BEFORE UPDATE ON engine.facts FOR EACH ROW EXECUTE FUNCTION engine.raise_fact_revision();

DROP FUNCTION IF EXISTS engine.strongest_facts(bigint[], integer);

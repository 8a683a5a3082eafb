-- Until when a plan can hold that a fact states: the end of the day that it names ("flies to Oslo on May 3"). After that nobody knows whether it happened, so
-- the fact is not ended: it is shown as one whose day has passed.
--
--   holds_until   the end of that day, where the speaker was; NULL where a fact states no plan, or names no day
--   text_from     since when the text stands from which this was read: a text that was changed by hand is read again
--
-- What is known already is read again by the job of the chains.
ALTER TABLE engine.fact_attributes
    ADD COLUMN holds_until timestamptz,
    ADD COLUMN text_from timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN engine.fact_attributes.holds_until IS 'until when the plan can hold that it states: the end of its day';
COMMENT ON COLUMN engine.fact_attributes.text_from IS 'since when the text stands from which this was read';

-- Whoever may read a fact may read until when its plan holds.
CREATE POLICY readable ON engine.fact_attributes FOR SELECT TO neurigraph_request
    USING (EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = fact_attributes.fact_id));
GRANT SELECT (fact_id, holds_until) ON engine.fact_attributes TO neurigraph_request;

INSERT INTO engine.unchained_facts (node_id)
SELECT DISTINCT n.node_id FROM engine.facts AS f JOIN engine.nodes AS n USING (node_id) WHERE n.state = 'live' ON CONFLICT (node_id) DO NOTHING;

-- They take the time of the engine's clock now.
DROP FUNCTION IF EXISTS engine.fact_groups(text, integer, integer);
DROP FUNCTION IF EXISTS engine.facts_described(jsonb, integer);

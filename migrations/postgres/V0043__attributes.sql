-- Attributes: of which attribute of its subject a fact gives the value, as "home" or "favourite colour". The registry of attributes is read
-- from here and from the facts themselves, so it follows all that becomes of these.
--
--   attribute   the words of its name, folded and sorted: facts about one attribute agree in it; empty where a fact speaks of none
--   label       the name as the fact has it
--   kind        what its value is
--   single      whether one value holds at a time
--
-- Only engine.enter_attributes writes, for a principal that may write the fact; only functions read, for the user of the graph.

CREATE TABLE engine.fact_attributes (
    fact_id   uuid PRIMARY KEY REFERENCES engine.facts ON DELETE CASCADE,
    user_id   uuid NOT NULL REFERENCES engine.users,
    attribute text NOT NULL CHECK (char_length(attribute) <= 200),
    label     text NOT NULL CHECK (char_length(label) <= 200),
    kind      text NOT NULL CHECK (kind IN ('', 'date', 'number', 'name', 'text')),
    single    boolean NOT NULL
);
CREATE INDEX fact_attributes_of_user ON engine.fact_attributes (user_id, attribute) WHERE attribute <> '';

ALTER TABLE engine.fact_attributes ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.fact_attributes FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.fact_attributes TO CURRENT_USER USING (true) WITH CHECK (true);

-- What is known already: the job of the chains looks at these nodes.
INSERT INTO engine.unchained_facts (node_id)
SELECT DISTINCT n.node_id FROM engine.facts AS f JOIN engine.nodes AS n USING (node_id) WHERE n.state = 'live' ON CONFLICT (node_id) DO NOTHING;

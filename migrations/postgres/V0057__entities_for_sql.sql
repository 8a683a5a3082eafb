-- Entities and relations as the job `communities` last read them from the graph, where their truth lies: for the views of analysts. For the user of the graph
-- alone. Merged entities are one; relations are those that hold.
--
-- The service writes; the user reads. No other principal sees a row.

CREATE TABLE engine.known_entities (
    entity_id         uuid PRIMARY KEY,
    user_id           uuid NOT NULL REFERENCES engine.users,
    name              text NOT NULL,
    kind              text NOT NULL,
    mentions          integer NOT NULL CHECK (mentions > 0),
    nodes             integer NOT NULL CHECK (nodes >= 0),
    last_mentioned_at timestamptz NOT NULL,
    read_at           timestamptz NOT NULL
);
CREATE INDEX known_entities_of_user ON engine.known_entities (user_id);
-- Uses functions: access/principal_user
ALTER TABLE engine.known_entities ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.known_entities FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.known_entities TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.known_entities FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.known_entities TO neurigraph_request;

CREATE TABLE engine.known_relations (
    relation_id   uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES engine.users,
    relation_type text NOT NULL,
    source_id     uuid NOT NULL,
    target_id     uuid NOT NULL,
    strength      integer NOT NULL CHECK (strength > 0),
    confidence    real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    since         text,
    read_at       timestamptz NOT NULL
);
CREATE INDEX known_relations_of_user ON engine.known_relations (user_id);
ALTER TABLE engine.known_relations ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.known_relations FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.known_relations TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.known_relations FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.known_relations TO neurigraph_request;

COMMENT ON TABLE engine.known_entities IS 'Entities as the job communities last read them from the graph, for SQL.';
COMMENT ON COLUMN engine.known_entities.entity_id IS 'the entity, as in the graph';
COMMENT ON COLUMN engine.known_entities.user_id IS 'the user whose graph it belongs to';
COMMENT ON COLUMN engine.known_entities.name IS 'the name';
COMMENT ON COLUMN engine.known_entities.kind IS 'the kind';
COMMENT ON COLUMN engine.known_entities.mentions IS 'how many records mention it';
COMMENT ON COLUMN engine.known_entities.nodes IS 'at how many nodes';
COMMENT ON COLUMN engine.known_entities.last_mentioned_at IS 'the time of the newest record that mentions it';
COMMENT ON COLUMN engine.known_entities.read_at IS 'when the graph was read';
COMMENT ON TABLE engine.known_relations IS 'Relations that held when the job communities last read them from the graph, for SQL.';
COMMENT ON COLUMN engine.known_relations.relation_id IS 'the relation, as in the graph';
COMMENT ON COLUMN engine.known_relations.user_id IS 'the user whose graph it belongs to';
COMMENT ON COLUMN engine.known_relations.relation_type IS 'the type';
COMMENT ON COLUMN engine.known_relations.source_id IS 'the entity from which it leads';
COMMENT ON COLUMN engine.known_relations.target_id IS 'the entity to which it leads';
COMMENT ON COLUMN engine.known_relations.strength IS 'how many records state it';
COMMENT ON COLUMN engine.known_relations.confidence IS 'how sure it is, 0 to 1';
COMMENT ON COLUMN engine.known_relations.since IS 'since when it holds, as far as it is known';
COMMENT ON COLUMN engine.known_relations.read_at IS 'when the graph was read';

-- What a job derives of a user's memory, beside the communities of entities in the graph. For the user of the graph alone.
--
--   build             as of when a user's memory was looked at, and its mark: as long as that is the same, nothing is to be done
--   cluster           live facts whose meanings are near; facts in the order of their strength
--   insight           what is seen over facts, relations and records: found first at known_from, no more at known_to
--   entity meaning    of the texts that mention an entity, for one embedding version
--
-- The service writes; the user reads. No other principal sees a row.

CREATE TABLE engine.derived_builds (
    user_id     uuid PRIMARY KEY REFERENCES engine.users,
    mark        text NOT NULL,
    communities integer NOT NULL CHECK (communities >= 0),
    built_at    timestamptz NOT NULL
);
ALTER TABLE engine.derived_builds ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.derived_builds FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.derived_builds TO CURRENT_USER USING (true) WITH CHECK (true);
-- Uses functions: access/principal_user
CREATE POLICY own ON engine.derived_builds FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.derived_builds TO neurigraph_request;

CREATE TABLE engine.fact_clusters (
    cluster_id        uuid PRIMARY KEY,
    user_id           uuid NOT NULL REFERENCES engine.users,
    name              text NOT NULL CHECK (char_length(name) <= 200),
    size              integer NOT NULL CHECK (size > 0),
    summary           text NOT NULL,
    facts             uuid[] NOT NULL,
    embedding         vector,
    embedding_version text,
    changed_at        timestamptz NOT NULL,
    CHECK ((embedding IS NULL) = (embedding_version IS NULL))
);
CREATE INDEX fact_clusters_of_user ON engine.fact_clusters (user_id, size);
ALTER TABLE engine.fact_clusters ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.fact_clusters FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.fact_clusters TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.fact_clusters FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.fact_clusters TO neurigraph_request;

CREATE TABLE engine.insights (
    insight_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid NOT NULL REFERENCES engine.users,
    key        text NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('insight', 'pattern', 'contradiction', 'trend', 'community')),
    text       text NOT NULL CHECK (char_length(text) <= 2000),
    facts      uuid[] NOT NULL,
    relations  uuid[] NOT NULL,
    entities   uuid[] NOT NULL,
    records    uuid[] NOT NULL,
    known_from timestamptz NOT NULL,
    known_to   timestamptz,
    built_at   timestamptz NOT NULL,
    CHECK (known_to > known_from)
);
CREATE UNIQUE INDEX insights_once ON engine.insights (user_id, key) WHERE known_to IS NULL;
CREATE INDEX insights_of_user ON engine.insights (user_id, known_from);
ALTER TABLE engine.insights ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.insights FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.insights TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.insights FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.insights TO neurigraph_request;

CREATE TABLE engine.entity_meanings (
    entity_id         uuid NOT NULL,
    embedding_version text NOT NULL,
    user_id           uuid NOT NULL REFERENCES engine.users,
    centroid          vector NOT NULL,
    descriptors       text[] NOT NULL,
    drift             real CHECK (drift BETWEEN 0 AND 2),
    items             integer NOT NULL CHECK (items > 0),
    rebuilt_at        timestamptz NOT NULL,
    PRIMARY KEY (entity_id, embedding_version)
);
CREATE INDEX entity_meanings_of_user ON engine.entity_meanings (user_id);
ALTER TABLE engine.entity_meanings ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.entity_meanings FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.entity_meanings TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY own ON engine.entity_meanings FOR SELECT TO neurigraph_request USING (user_id = (SELECT engine.principal_user()));
GRANT SELECT ON engine.entity_meanings TO neurigraph_request;

-- Where the meaning of a node lies. Private items are part of it, and it cannot be taken apart: no request reads it, the service alone.
CREATE TABLE engine.node_centroids (
    node_id  uuid PRIMARY KEY REFERENCES engine.nodes ON DELETE CASCADE,
    version  text NOT NULL,
    centroid vector NOT NULL,
    items    bigint NOT NULL CHECK (items > 0)
);
ALTER TABLE engine.node_centroids ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.node_centroids FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.node_centroids TO CURRENT_USER USING (true) WITH CHECK (true);
COMMENT ON TABLE engine.node_centroids IS 'Where the meaning of a node lies; none for a node without vectors. Private items are part of it: only the service reads it.';
COMMENT ON COLUMN engine.node_centroids.node_id IS 'the node';
COMMENT ON COLUMN engine.node_centroids.version IS 'the version of the embeddings';
COMMENT ON COLUMN engine.node_centroids.centroid IS 'the mean of the unit vectors of its live items';
COMMENT ON COLUMN engine.node_centroids.items IS 'how many items that are';

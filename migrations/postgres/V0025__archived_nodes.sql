-- Archived nodes: not searched and without new content, until they are taken back; what they held stays readable by its ids and in the
-- past. A node is archived by itself or with a node above it; a user with the root.
--
--   archived     the node itself was archived
--   archivings   when this node, by itself or with one above it, was archived, taken back, archived again, …: at a time it was
--                archived where the number of entries up to then is odd

ALTER TABLE engine.nodes
    ADD COLUMN archived boolean NOT NULL DEFAULT false,
    ADD COLUMN archivings timestamptz[] NOT NULL DEFAULT '{}';

-- Uses functions: node/refuse_archived
CREATE TRIGGER refuse_archived BEFORE INSERT ON engine.outbox
    FOR EACH ROW WHEN (NEW.kind IN ('node', 'records')) EXECUTE FUNCTION engine.refuse_archived();

-- What the ranking of a search reads of an item beside its words and its vector; template version 9.
--
--   entities   numbers of the entities that it names (engine.domain.entity.entity_number of their keys), the most frequent first
--   about      those of them that it is about: the names in the title of its document, the subject of a fact
--   tokens     signs of its token vectors, one bit a dimension, one token after the other, by the model of slot a; tokens_b: of slot b.
--              NULL: none are made; empty: no token counts
--
-- Names stand in the text of the row or, those of a title, in its record's: see engine/knowledge/item_entities.py for who may know what.
-- Tokens lie out of line, so that a scan of the vectors does not read them.
ALTER TABLE template.memory_items
    ADD COLUMN entities integer[] NOT NULL DEFAULT '{}',
    ADD COLUMN about integer[] NOT NULL DEFAULT '{}',
    ADD COLUMN tokens bytea,
    ADD COLUMN tokens_b bytea,
    ALTER COLUMN tokens SET STORAGE EXTERNAL,
    ALTER COLUMN tokens_b SET STORAGE EXTERNAL;

-- Nodes with items that may lack their entities, or the tokens of the active version: those of before, and what was moved from such a node.
-- Jobs fill them; `after` says how far one is (a record for entities, an item for tokens). Looked at by the service alone.
CREATE TABLE engine.older_items (
    node_id uuid NOT NULL,
    lacking text NOT NULL CHECK (lacking IN ('entities', 'tokens')),
    after   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    PRIMARY KEY (lacking, node_id)
);
ALTER TABLE engine.older_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.older_items FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.older_items TO CURRENT_USER USING (true) WITH CHECK (true);

-- Staged by a replay with its vectors: the tokens of the same texts, one of each item. What was staged before is embedded again.
ALTER TABLE engine.replayed_records ADD COLUMN tokens bytea[];
UPDATE engine.replayed_records SET vectors = NULL, embeddings = NULL WHERE vectors IS NOT NULL;

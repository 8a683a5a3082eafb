-- Embedding versions: vectors of two models lie beside each other, in two slots, and one step says which is searched.
--
--   slot a   columns embedding, embedding_version          slot b   columns embedding_b, embedding_b_version
--
-- One version is active and searched; a canary is built in the other slot while the active one serves. Promotion changes
-- two rows of engine.embedding_versions and nothing else. An archived version keeps its slot, for the way back, until the
-- next canary takes it. Every vector names its version, and only vectors of the version asked for are compared.

ALTER TABLE engine.embedding_versions
    ADD COLUMN slot text CHECK (slot IN ('a', 'b')),
    ADD COLUMN promoted_at timestamptz,
    ADD COLUMN archived_at timestamptz,
    ADD COLUMN built_at timestamptz,   -- when a build last found nothing left to do
    ADD COLUMN comparison jsonb;       -- with the active version of that time
UPDATE engine.embedding_versions SET slot = 'a', promoted_at = created_at WHERE status = 'active';
ALTER TABLE engine.embedding_versions
    ADD CONSTRAINT in_use_has_slot CHECK (status = 'archived' OR slot IS NOT NULL),
    ADD CONSTRAINT one_version_a_slot UNIQUE (slot);
CREATE UNIQUE INDEX one_canary ON engine.embedding_versions ((true)) WHERE status = 'canary';

-- Columns of a slot ---------------------------------------------------------------------------------------------------

-- embedding_pending is no constraint any more: whether a vector is missing depends on the version that is asked for.
ALTER TABLE template.metadata_records
    ADD COLUMN embedding_b vector, ADD COLUMN embedding_b_version text,
    ADD CONSTRAINT metadata_records_slot_b CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)),
    DROP CONSTRAINT metadata_records_check;
ALTER TABLE template.memory_items
    ADD COLUMN embedding_b vector, ADD COLUMN embedding_b_version text,
    ADD CONSTRAINT memory_items_slot_b CHECK ((embedding_b IS NULL) = (embedding_b_version IS NULL)),
    ALTER COLUMN embedding_b SET STORAGE PLAIN;

DROP FUNCTION IF EXISTS engine.embedding_column();

-- What a derivation is made from: where that changes, its nodes are noted, without a word at each writer.
ALTER TABLE engine.derivations ADD COLUMN needs text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN engine.derivations.needs IS 'what it is made from: content (records and items), embeddings (which version is active), other derivations; where one of these changes, the node is noted';
UPDATE engine.derivations SET needs = '{embeddings}' WHERE name = 'tokens';

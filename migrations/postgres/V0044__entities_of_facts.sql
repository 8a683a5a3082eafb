-- Whom or what a fact is about: a hash of the key of the entity that its subject was resolved to, as the subject is a hash of its name. Facts about one entity
-- meet under whatever name it goes; facts about two of one name do not. NULL where the subject is no entity, or of before: the name decides.
ALTER TABLE engine.facts ADD COLUMN entity bigint;
CREATE INDEX facts_of_entity ON engine.facts (user_id, entity) WHERE status = 'live' AND entity IS NOT NULL;

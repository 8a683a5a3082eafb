// The entities of a user that are mentioned most, and those that are read as part of another one: the first page is found without
// counting the mentions of all.

CREATE INDEX entity_mentions IF NOT EXISTS FOR (e:Entity) ON (e.user_id, e.mentions, e.entity_id);

CREATE INDEX entity_active IF NOT EXISTS FOR (e:Entity) ON (e.user_id, e.active);

CALL db.awaitIndexes(25);

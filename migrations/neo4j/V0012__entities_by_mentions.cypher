// The entities of a user that are mentioned most: the first page of them is found without counting the mentions of all.

CREATE INDEX entity_mentions IF NOT EXISTS FOR (e:Entity) ON (e.user_id, e.mentions, e.entity_id);

CALL db.awaitIndexes(25);

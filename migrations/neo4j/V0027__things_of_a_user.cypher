// Records and earlier states of a user, which a forgetting of the user takes away, also those that hang at nothing.

CREATE INDEX record_user IF NOT EXISTS FOR (r:Record) ON (r.user_id);

CREATE INDEX past_user IF NOT EXISTS FOR (p:Past) ON (p.user_id);

CALL db.awaitIndexes(25);

// Records and earlier states of a user, which a forgetting of the user takes away, also those that hang at nothing. With the own id
// behind it, so that no read that only says whose something is begins at all that the user has.

CREATE INDEX record_user IF NOT EXISTS FOR (r:Record) ON (r.user_id, r.record_id);

CREATE INDEX past_user IF NOT EXISTS FOR (p:Past) ON (p.user_id, p.slice_id);

CALL db.awaitIndexes(25);

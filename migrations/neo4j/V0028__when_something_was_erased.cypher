// When something of a user was last erased: builds of communities that read the graph before are refused.

CALL db.createProperty('forgotten_at');

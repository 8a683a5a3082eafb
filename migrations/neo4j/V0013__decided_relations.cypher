// What the user decides of relations, and which entity a node is about.
//
//   (:Entity)-[relation {…, archivings, archived_reason, properties, described_at}]->(:Entity)   `archivings`: times, as those of nodes; `properties`: JSON
//   (:Node)-[:IS_ABOUT {since}]->(:Entity)                                                       its name means this entity and no other

UNWIND ['archivings', 'archived_reason', 'described_at', 'properties', 'since'] AS name CALL db.createProperty(name);

CALL db.createRelationshipType('IS_ABOUT');

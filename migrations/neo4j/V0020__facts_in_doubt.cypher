// Facts in doubt: both are live.
//
//   (:Fact)-[:MAY_REPLACE]->(:Fact)     the newer may replace the older; nobody decided

CALL db.createRelationshipType('MAY_REPLACE');

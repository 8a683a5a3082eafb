// The last revision of a retraction that was applied to a record.
//
//   (:Record {…, retraction_seen})

CALL db.createProperty('retraction_seen');

// Records say by a label what they are, and by a caption what programs that draw the graph write on them; those that hold no more have no caption.
//
//   (:Record:Conversation|Document {…, caption: 'Conversation: A busy evening'})

UNWIND ['Conversation', 'Document'] AS name CALL db.createLabel(name);

CALL db.createProperty('caption');

MATCH (r:Record)
WHERE NOT r:Conversation AND NOT r:Document
CALL (r) {
  WITH r, CASE r.content_type WHEN 'conversation' THEN 'Conversation' ELSE 'Document' END AS label
  SET r:$(label)
  SET r.caption = CASE WHEN r.known_to IS NULL AND coalesce(r.valid_to > datetime(), true) THEN label + ': ' + r.title END
} IN TRANSACTIONS OF 5000 ROWS;

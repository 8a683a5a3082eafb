// What the user corrects of entities, and aliases that the user gives them.
//
//   (:Entity {…, names_before, renamed, kinds_before, rekinded, corrected_reason})   what it was called, what it was, and until when that was known: lists
//   (:Alias {…, not_of})-[:NAMES]->(:Entity)                                         the user's have other types than `name`, too; entities (ids) that a name was taken from
//   (:Entity {…, given_names, given_at})                                             normal forms of names that the user gave, and when

UNWIND ['names_before', 'renamed', 'kinds_before', 'rekinded', 'corrected_reason', 'given_names', 'given_at', 'not_of'] AS name CALL db.createProperty(name);

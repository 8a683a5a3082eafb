// What was: states of nodes, records and relations that hold no longer, or were not known from the beginning.
//
//   (:Node|Record)-[:WAS]->(:Past {slice_id, user_id, fields as they were, valid_from, valid_to, known_from, known_to})
//   (:Node)-[:HAD_CHILD {slice_id, valid_from, …}]->(:Node)          where a node hung while that slice held
//   (:Node)-[:WAS_RELATED {slice_id, edge_id, edge_type, …}]->(:Node) a relation as it was
//
// A moment is covered by exactly one slice: a past one, or what the node, record or relation itself says, from its own times on
// (of nodes: those on HAS_CHILD; known_from and known_to of a node itself say when it was there at all). `revision` counts changes.

CREATE CONSTRAINT past_id IF NOT EXISTS FOR (p:Past) REQUIRE p.slice_id IS UNIQUE;

CREATE INDEX past_name IF NOT EXISTS FOR (p:Past) ON (p.user_id, p.name_key);

CREATE CONSTRAINT had_child_id IF NOT EXISTS FOR ()-[h:HAD_CHILD]-() REQUIRE h.slice_id IS UNIQUE;

CREATE CONSTRAINT was_related_id IF NOT EXISTS FOR ()-[w:WAS_RELATED]-() REQUIRE w.slice_id IS UNIQUE;

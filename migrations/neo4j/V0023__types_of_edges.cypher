// Edges between nodes have their own type where it is one of these; all keep it as it was written, in `edge_type`.
//
//   (:Node)-[:SAME_PERSON|COVERED_BY|… {edge_id, edge_type, …}]->(:Node)      RELATED, where the type is not listed

CREATE CONSTRAINT same_person_id IF NOT EXISTS FOR ()-[e:SAME_PERSON]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT same_place_id IF NOT EXISTS FOR ()-[e:SAME_PLACE]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT same_thing_id IF NOT EXISTS FOR ()-[e:SAME_THING]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT similar_to_id IF NOT EXISTS FOR ()-[e:SIMILAR_TO]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT belongs_to_id IF NOT EXISTS FOR ()-[e:BELONGS_TO]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT depends_on_id IF NOT EXISTS FOR ()-[e:DEPENDS_ON]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT leads_to_id IF NOT EXISTS FOR ()-[e:LEADS_TO]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT covered_by_id IF NOT EXISTS FOR ()-[e:COVERED_BY]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT answered_by_id IF NOT EXISTS FOR ()-[e:ANSWERED_BY]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT financed_by_id IF NOT EXISTS FOR ()-[e:FINANCED_BY]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT sold_to_id IF NOT EXISTS FOR ()-[e:SOLD_TO]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT looked_after_by_id IF NOT EXISTS FOR ()-[e:LOOKED_AFTER_BY]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT inherited_from_id IF NOT EXISTS FOR ()-[e:INHERITED_FROM]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT shared_with_id IF NOT EXISTS FOR ()-[e:SHARED_WITH]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT managed_by_id IF NOT EXISTS FOR ()-[e:MANAGED_BY]-() REQUIRE e.edge_id IS UNIQUE;

CREATE CONSTRAINT replaced_by_id IF NOT EXISTS FOR ()-[e:REPLACED_BY]-() REQUIRE e.edge_id IS UNIQUE;

MATCH (n:Node)-[old:RELATED]->(o:Node)
WITH n, old, o, toUpper(replace(replace(old.edge_type, ' ', '_'), '-', '_')) AS type
WHERE type IN ['SAME_PERSON', 'SAME_PLACE', 'SAME_THING', 'SIMILAR_TO', 'BELONGS_TO', 'DEPENDS_ON', 'LEADS_TO', 'COVERED_BY', 'ANSWERED_BY', 'FINANCED_BY', 'SOLD_TO', 'LOOKED_AFTER_BY', 'INHERITED_FROM', 'SHARED_WITH', 'MANAGED_BY', 'REPLACED_BY']
CALL (n, old, o, type) {
  CREATE (n)-[e:$(type)]->(o)
  SET e = properties(old)
  DELETE old
} IN TRANSACTIONS OF 5000 ROWS;

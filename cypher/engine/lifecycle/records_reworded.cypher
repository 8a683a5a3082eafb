// Purpose: what records mention and state that are read again, also what a reading after a change of their texts by hand ended: a name or a relation that a model
//   found holds again where the text does. Operator only, all users. Parameters: records, weight (of relations that a model states).
// Returns: record_id, mentions [{names (normal forms), kind, role, spans}], relations [{sources, targets (normal forms of names that the record uses of both
//   ends), type, item_id, since, until, ended}], modelled (whether a model read it).
UNWIND $records AS id
MATCH (r:Record {record_id: id})
RETURN id AS record_id,
       COLLECT { MATCH (r)-[m:MENTIONS]->(:Entity) WHERE (m.known_to IS NULL OR m.reworded) AND size(m.names) > 0
                 WITH m ORDER BY m.known_to IS NOT NULL, m.known_from DESC
                 RETURN {names: m.names, kind: m.kind, role: m.role, spans: m.spans} } AS mentions,
       COLLECT { MATCH (r)-[v:EVIDENCE]->(a:Entity) WHERE (v.known_to IS NULL OR v.reworded) AND v.weight = $weight
                 WITH v, a, v.relation_id AS relation_id  // from the record, not by all evidence of an index
                 MATCH (a)-[relation]->(b:Entity) WHERE relation.relation_id = relation_id
                 WITH v, a, b, relation ORDER BY v.known_to IS NOT NULL, v.known_from DESC
                 WITH v, relation, COLLECT { MATCH (r)-[m:MENTIONS]->(a) UNWIND m.names AS name RETURN DISTINCT name } AS sources,
                      COLLECT { MATCH (r)-[m:MENTIONS]->(b) UNWIND m.names AS name RETURN DISTINCT name } AS targets
                 RETURN {sources: sources, targets: targets, type: relation.name, item_id: v.item_id, since: v.since, until: v.until, ended: v.ended} } AS relations,
       EXISTS { (r)-[:STATES]->(:Fact) } OR EXISTS { MATCH (r)-[v:EVIDENCE]->(:Entity) WHERE v.known_to IS NULL AND v.weight = $weight } AS modelled

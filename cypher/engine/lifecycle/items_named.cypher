// Purpose: what records mention and what their facts are about, for the rows of their items. Operator only, all users. Parameters: records.
// Returns: record_id, key (of the entity), names (normal forms), spans (`item:start-end`), fact_id (null: a mention of the record), primary.
UNWIND $records AS id
MATCH (r:Record {record_id: id})
CALL (r) {
  MATCH (r)-[m:MENTIONS]->(e:Entity) WHERE m.known_to IS NULL AND m.role <> 'author'
  RETURN e.key AS key, m.names AS names, m.spans AS spans, null AS fact_id, false AS primary
  UNION ALL
  MATCH (r)-[:STATES]->(f:Fact {record_id: r.record_id})-[a:ABOUT]->(e:Entity)
  RETURN e.key AS key, [] AS names, [] AS spans, f.fact_id AS fact_id, a.primary AS primary
}
RETURN r.record_id AS record_id, key, names, spans, fact_id, coalesce(primary, false) AS primary

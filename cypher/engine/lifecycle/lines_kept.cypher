// Purpose: makes a node's manifest say what Postgres holds: items of records that are there, no line for those that are gone. Operator only.
// Parameters: there [{record_id, items}], gone [record_id]. Returns: gone (lines).
UNWIND ($there + [null]) AS row
OPTIONAL MATCH (r:Record {record_id: row.record_id})
SET r.items = row.items
WITH count(*) AS set
UNWIND ($gone + [null]) AS record_id
OPTIONAL MATCH (r:Record {record_id: record_id})
DETACH DELETE r
RETURN count(r) AS gone

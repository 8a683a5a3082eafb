// Purpose: gives records the node, the privacy and the type that Postgres has, with the label and the caption that follow from them. Operator only. Idempotent.
// Parameters: records [{record_id, node_id, privacy, content_type}]. Returns: record_id.
CYPHER 25
UNWIND $records AS row
MATCH (r:Record {record_id: row.record_id})
WITH r, row, part.content_label(row.content_type) AS label
REMOVE r:$([one IN labels(r) WHERE NOT one IN ['Record', label]])
SET r:$(label), r.node_id = row.node_id, r.privacy = row.privacy, r.content_type = row.content_type,
    r.caption = CASE WHEN part.holds_now(r) THEN label + ': ' + r.title END
RETURN r.record_id AS record_id

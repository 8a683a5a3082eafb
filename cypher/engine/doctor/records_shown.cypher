// Purpose: what records show and who may see them, one page, for the comparison with Postgres; whether label and caption follow from type and title. A caption of a record that
//   was to end at a time may be there or not. Operator only, all users. Parameters: after (record id), limit.
// Returns: record_id, node_id, privacy, content_type, label (whether it has another than that of its type, or none, or has lost its node's id), caption (whether it is another).
MATCH (r:Record) WHERE r.record_id > $after
WITH r ORDER BY r.record_id LIMIT $limit
WITH r, part.content_label(r.content_type) AS label
RETURN r.record_id AS record_id, part.node_of(r) AS node_id, r.privacy AS privacy, r.content_type AS content_type,
       [one IN labels(r) WHERE one <> 'Record'] <> [label] OR r.node_id IS NULL AS label,
       r.title IS NOT NULL AND CASE WHEN r.caption IS NULL THEN r.known_to IS NULL AND r.valid_to IS NULL
                                    ELSE r.known_to IS NOT NULL OR r.caption <> label + ': ' + r.title END AS caption
ORDER BY record_id

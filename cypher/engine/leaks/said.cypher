// Purpose: what records of some users mention, as the service sees it, regardless of rights: for the leak fuzzer. Service only.
// Parameters: users (ids). Returns: record_id, entity_id, user_id, key, name, name_key, kind, role, told (kind), names, known_from, known_to,
//   name_before, kind_before, corrected_at (where the user corrected it), given (names of the user's own), document (the record is of one), items (ids of those that mention it), decided (an
//   alias of it is verified, or a node is about it); a row a mention.
MATCH (e:Entity)<-[m:MENTIONS]-(r:Record)
WHERE e.user_id IN $users
RETURN r.record_id AS record_id, e.entity_id AS entity_id, e.user_id AS user_id, e.key AS key, e.name AS name, e.kind AS kind,
       m.role AS role, m.kind AS told, m.names AS names, m.known_from AS known_from, m.known_to AS known_to,
       head(e.names_before) AS name_before, head(e.kinds_before) AS kind_before, head(e.renamed) AS corrected_at, coalesce(e.given_names, []) AS given,
       r.content_type <> 'conversation' AS document, [span IN m.spans | left(span, 36)] AS items,
       EXISTS { (e)<-[:IS_ABOUT]-(:Node) } OR EXISTS { (a:Alias)-[:NAMES]->(e) WHERE a.verified } AS decided

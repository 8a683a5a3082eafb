// Purpose: values of the relationships of a type that are of another type than the data dictionary says, of another form, or missing, one page. Operator only,
//   all users. A type that the dictionary does not name is of the domain file between entities, and of an edge between nodes.
// Parameters: as of values_of_nodes; `name` is the type, `types`, `forms` and `always` have the relationships of the dictionary by their names.
// Returns: seen (relationships that were looked at), last, wrong [{name, of (its name in the dictionary), id, property, type, value, element_id, user_id}]: one row.
CYPHER 25
MATCH ()-[r:$($name)]->()
WHERE id(r) > $after  // with an order of the texts of elementId the planner goes through the relationships of all types
WITH r ORDER BY r LIMIT $page
WITH r, id(r) AS place, CASE WHEN $types[$name] IS NOT NULL THEN $name WHEN startNode(r):Entity THEN 'RELATION' ELSE 'RELATED' END AS name
WITH r, place, name, [key IN keys(r) WHERE part.unfit(r, key, name)] + [key IN $always[name] WHERE r[key] IS NULL] AS unfit
WITH count(r) AS seen, max(place) AS last, collect(CASE WHEN unfit <> [] THEN {of: r, name: name, properties: unfit} END) AS found
RETURN seen, last, COLLECT {
  UNWIND found AS one
  UNWIND one.properties AS property
  WITH one.of AS r, one.name AS of, property LIMIT $most
  RETURN {name: type(r), of: of, id: toStringOrNull(r[$keys[of]]), property: property, type: valueType(r[property]),
          value: left(coalesce(toStringOrNull(r[property]), ''), 60), element_id: elementId(r),
          user_id: [user IN [r.user_id, startNode(r).user_id, endNode(r).user_id] WHERE part.is_id(user)][0]}
} AS wrong

// Purpose: values of the nodes of a label that are of another type than the data dictionary says, of another form, or missing, one page. Operator only, all users.
// Parameters: name (the label), after (the place of the last node of the page before; the store's own, as an id of ours may be damaged; at first -1) and page, types {label:
//   {property: [types as valueType says them]}}, forms {label: {property: a pattern of its texts}}, always {label: [properties that each has]},
//   keys {label: the property that names it}, uuid (a pattern), most (values that are shown).
// Returns: seen (nodes that were looked at), last (the place of the last one), wrong [{name, of (its name in the dictionary), id, property, type, value, element_id, user_id}]: one row.
CYPHER 25
MATCH (n:$($name))
WHERE id(n) > $after
WITH n ORDER BY n LIMIT $page
WITH n, id(n) AS place, [key IN keys(n) WHERE part.unfit(n, key, $name)] + [key IN $always[$name] WHERE n[key] IS NULL] AS unfit
WITH count(n) AS seen, max(place) AS last, collect(CASE WHEN unfit <> [] THEN {of: n, properties: unfit} END) AS found
RETURN seen, last, COLLECT {
  UNWIND found AS one
  UNWIND one.properties AS property
  WITH one.of AS n, property LIMIT $most
  RETURN {name: $name, of: $name, id: toStringOrNull(n[$keys[$name]]), property: property, type: valueType(n[property]),
          value: left(coalesce(toStringOrNull(n[property]), ''), 60), element_id: elementId(n),
          user_id: CASE WHEN part.is_id(n.user_id) THEN n.user_id END}
} AS wrong

// Purpose: values of the nodes of a label that are of another type than the data dictionary says, or no ids where it says so, one page. Operator only, all users.
// Parameters: name (the label), skip and page (its nodes in the order of the store, which needs no id that may be damaged), types {label: {property: [types
//   as valueType says them]}}, ids {label: [properties that are ids]}, keys {label: the property that names it},
//   uuid (a pattern), most (values that are shown).
// Returns: seen (nodes that were looked at), wrong [{name, of (its name in the dictionary), id, property, type, value, element_id, user_id}]: one row.
CYPHER 25
MATCH (n:$($name))
WITH n SKIP $skip LIMIT $page
WITH n, [key IN keys(n) WHERE part.unfit(n, key, $name)] AS unfit
WITH count(n) AS seen, collect(CASE WHEN unfit <> [] THEN {of: n, properties: unfit} END) AS found
RETURN seen, COLLECT {
  UNWIND found AS one
  UNWIND one.properties AS property
  WITH one.of AS n, property LIMIT $most
  RETURN {name: $name, of: $name, id: toStringOrNull(n[$keys[$name]]), property: property, type: valueType(n[property]),
          value: left(coalesce(toStringOrNull(n[property]), ''), 60), element_id: elementId(n),
          user_id: CASE WHEN part.is_id(n.user_id) THEN n.user_id END}
} AS wrong

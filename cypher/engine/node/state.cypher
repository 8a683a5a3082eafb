// Purpose: what of a node changes by deltas, with its revision, for the user of the graph who is about to change it.
// Parameters: user_id (whose graph), principal and kind (who asks: only the user shapes a graph), node_id.
// Returns: state, revision, known_from; no row when missing or not the user's.
MATCH (n:Node {node_id: $node_id})
WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id AND n.known_to IS NULL
RETURN {name: n.name, summary: n.summary, keywords: n.keywords, aliases: n.aliases, parent_id: n.parent_id, archived: coalesce(n.archived, false)} AS state,
       coalesce(n.revision, 1) AS revision, n.known_from AS known_from

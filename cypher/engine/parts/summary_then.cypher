// Part: summary_then(node): the summary of a node at the moment that is asked for.
// Needs: as_of; parameter known_at.
coalesce(head([(@node)-[:WAS]->(state:Past) WHERE part.holds(state) | state.summary]), @node.summary)

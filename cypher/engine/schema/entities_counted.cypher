// Purpose: how many nodes and relationships the graph has, from its own counters, for the soak benchmark. Parameters: none. Returns: nodes, relationships.
CALL () { MATCH (n) RETURN count(n) AS nodes }
CALL () { MATCH ()-[r]->() RETURN count(r) AS relationships }
RETURN nodes, relationships

// Purpose: the largest numbers of nodes and relationships, by which all of them are read page by page.
// Parameters: none. Returns: nodes, relationships (-1 where there are none).
CALL () { MATCH (n) RETURN coalesce(max(id(n)), -1) AS nodes }
CALL () { MATCH ()-[r]->() RETURN coalesce(max(id(r)), -1) AS relationships }
RETURN nodes, relationships

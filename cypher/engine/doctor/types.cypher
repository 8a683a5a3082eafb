// Purpose: the types of relationships that the graph has or had. Parameters: none. Returns: type.
CALL db.relationshipTypes() YIELD relationshipType AS type
RETURN type ORDER BY type

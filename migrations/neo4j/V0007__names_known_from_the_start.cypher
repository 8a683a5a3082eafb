// The server plans a statement again as soon as a label, type or property that it names comes into being. In a new database that
// made a search take seconds again after each first of a kind: a child, a record, a change. All names exist from here on.

CALL db.createLabel('Persona');

UNWIND ['HAS_CHILD', 'HOLDS', 'WAS'] AS name CALL db.createRelationshipType(name);

UNWIND ['alias_keys', 'archived', 'archivings', 'content_type', 'created_at', 'depth', 'edge_type', 'embedding_b_version',
        'embedding_version', 'expires_at', 'fields', 'file_id', 'file_name', 'granted_at', 'items', 'kind', 'known_from', 'known_to',
        'last_accessed_at', 'layer', 'mode', 'moved_at', 'moved_revision', 'node_type', 'occurred_at', 'parent_id', 'past', 'placed_at',
        'privacy', 'private_items', 'private_records', 'records', 'revision', 'revoked_at', 'since', 'state', 'state_seq', 'title',
        'valid_from', 'valid_to'] AS name
CALL db.createProperty(name);

// Purpose: ids of all entities, one page. Operator only, all users. Parameters: after (entity id), limit. Returns: entity_id.
MATCH (e:Entity) WHERE e.entity_id > $after
RETURN e.entity_id AS entity_id ORDER BY entity_id LIMIT $limit

-- Purpose: what the texts that mention an entity mean, for the user of the graph. Parameters: entity_id, version. Returns: the columns of EntityMeaning.
SELECT m.entity_id, m.embedding_version, m.descriptors, round(m.drift::numeric, 4)::float8 AS drift, m.items, m.rebuilt_at
FROM engine.entity_meanings AS m WHERE m.entity_id = %(entity_id)s AND m.embedding_version = %(version)s

// Purpose: how often these entities were returned, and when last; a time that is later already stays. No index has these properties. Runs as the service.
// Parameters: read [{entity_id, times, at}]. Returns: how many entities were counted.
UNWIND $read AS one
MATCH (e:Entity {entity_id: one.entity_id})
SET e.access_count = coalesce(e.access_count, 0) + one.times,
    e.last_accessed_at = CASE WHEN e.last_accessed_at > one.at THEN e.last_accessed_at ELSE one.at END
RETURN count(e) AS counted

// Purpose: gives the graph a mark. Parameters: installation_id, generation, mark_id, marked_at (ISO). Returns: generation.
MERGE (i:Installation {name: 'neurigraph'})
SET i.installation_id = $installation_id, i.generation = $generation, i.mark_id = $mark_id, i.marked_at = datetime($marked_at)
RETURN i.generation AS generation

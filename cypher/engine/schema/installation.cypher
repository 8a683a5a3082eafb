// Purpose: the mark that the graph carries: of which installation it is, and how old. Parameters: none.
// Returns: installation_id, generation, mark_id, marked_at (ISO); no row where it carries none.
MATCH (i:Installation {name: 'neurigraph'})
RETURN i.installation_id AS installation_id, i.generation AS generation, i.mark_id AS mark_id, toString(i.marked_at) AS marked_at LIMIT 1

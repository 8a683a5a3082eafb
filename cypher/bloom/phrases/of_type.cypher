// Phrase: who is $relation whom
// Purpose: all relations of a type that hold.
// Parameters: user_id (whose graph, a text), relation (its type, with blanks or underscores).
// Suggestions: relation from relations.
// Returns: paths, at most 100.
// Example: relation "married to"
MATCH way = (e:Entity {user_id: $user_id})-[r]->(:Entity)
USING INDEX SEEK e:Entity(user_id, active)
WHERE e.active IS NOT NULL AND toLower(replace(r.name, '_', ' ')) = toLower(replace($relation, '_', ' '))
  AND r.strength > 0 AND size(coalesce(r.archivings, [])) % 2 = 0 AND coalesce(r.until > toString(date()), true)
RETURN way LIMIT 100

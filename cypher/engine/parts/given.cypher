// Part: given(entity): the normal forms of names that the user gave an entity, as they were known at the moment that is asked for; for the user alone.
// Needs: parameters user_id, principal, known_at.
CASE WHEN $principal = $user_id
     THEN [number IN range(0, size(coalesce(@entity.given_names, [])) - 1) WHERE @entity.given_at[number] <= $known_at | @entity.given_names[number]]
     ELSE [] END

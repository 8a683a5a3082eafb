// Part: over_from(fact): from which day on a fact does not hold, as it was known at the moment that is asked for: a newer one replaced or denied it; null: it holds.
// Needs: parameter known_at.
CASE WHEN @fact.status IN ['superseded', 'invalidated'] AND coalesce(@fact.invalidated_at <= $known_at, true)
     THEN toString(date(coalesce(@fact.valid_to, @fact.invalidated_at))) END

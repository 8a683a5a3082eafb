// Purpose: suggestions: numbers of days.
// Parameters: none.
// Returns: numbers as texts.
UNWIND [30, 90, 180, 365, 730] AS days
RETURN toString(days) AS days

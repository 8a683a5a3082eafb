// Part: is_id(value): whether it is a text that is an id.
// Needs: parameter uuid (a pattern).
coalesce(@value IS :: STRING AND toStringOrNull(@value) =~ $uuid, false)

-- Purpose: makes the insights of a user those that a build found. Service only. Parameters: user_id, found (json array: see engine.keep_insights), kinds, now. Returns: insights
--   (how many hold).
SELECT engine.keep_insights(%(user_id)s::uuid, %(found)s, %(kinds)s::text[], %(now)s::timestamptz) AS insights

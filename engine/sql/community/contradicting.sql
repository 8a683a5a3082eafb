-- Purpose: facts of a user that contradict each other, and those that were confirmed again and again, at most so many of both; of no thread or workflow. Service only.
-- Parameters: user_id, confirmed (so often), most. Returns: fact_id.
(SELECT f.fact_id FROM engine.facts AS f
 WHERE f.user_id = %(user_id)s AND f.status = 'live' AND f.scope = 'user' AND f.confirmations >= %(confirmed)s
 ORDER BY f.confirmations DESC, f.fact_id LIMIT %(most)s)
UNION
(SELECT p.fact_id FROM (
    SELECT f.fact_id AS one, o.fact_id AS other FROM engine.facts AS f JOIN engine.facts AS o ON o.fact_id = f.contradicts
    WHERE f.user_id = %(user_id)s AND f.status = 'live' AND o.status = 'live' AND f.scope = 'user' AND o.scope = 'user'
    ORDER BY 1 LIMIT %(most)s) AS c, LATERAL (VALUES (c.one), (c.other)) AS p (fact_id))

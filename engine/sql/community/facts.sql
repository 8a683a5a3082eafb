-- Purpose: the newest live facts of a user with their vectors. Service only. Parameters: user_id, column and version (of the vectors), most.
-- Returns: fact_id, content, subjects, confirmations, known_from, vector (as vector_send gives it); those confirmed most often and then the newest first.
SELECT f.fact_id, f.content, f.subjects, f.confirmations, f.known_from, f.vector
FROM engine.fact_vectors(%(user_id)s::uuid, %(column)s::text, %(version)s::text, %(most)s::integer) AS f
ORDER BY f.confirmations DESC, f.known_from DESC, f.fact_id LIMIT 100000

-- Purpose: vectors of turns that were stored last, from which it is known what a user usually says. Parameters: user_id, version (of the
--   embeddings), limit (about so many in all). Returns: embedding.
SELECT s.embedding FROM engine.turns_sampled(%(user_id)s::uuid, %(version)s, %(limit)s::integer) AS s LIMIT %(limit)s

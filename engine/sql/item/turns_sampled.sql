-- Purpose: vectors of the turns that were stored last, a sample of a user's usual turns. Parameters: user_id, version (of the
--   embeddings), limit (about so many in all). Returns: embedding.
SELECT s.embedding FROM engine.turns_sampled(%(user_id)s::uuid, %(version)s, %(limit)s::integer) AS s LIMIT %(limit)s

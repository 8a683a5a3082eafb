-- Purpose: makes the canary active, in one step. Service only. Parameters: name. Returns: one row, ignored; NG409 where it is none.
SELECT engine.promote_embeddings(%(name)s)

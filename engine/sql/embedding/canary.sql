-- Purpose: starts a canary, or finds it; its slot is taken from the archived version. Service only.
-- Parameters: name, provider, model, dimension, compression. Returns: one row, ignored; NG409 where there is another canary.
SELECT engine.start_canary(%(name)s, %(provider)s, %(model)s, %(dimension)s, %(compression)s)

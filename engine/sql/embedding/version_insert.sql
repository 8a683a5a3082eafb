-- Purpose: registers the first embedding version as active; nothing when there is one already.
-- Parameters: name, provider, model, dimension, compression. Returns: nothing.
INSERT INTO engine.embedding_versions (name, provider, model, dimension, compression, status, slot, promoted_at)
VALUES (%(name)s, %(provider)s, %(model)s, %(dimension)s, %(compression)s, 'active', 'a', now()) ON CONFLICT DO NOTHING

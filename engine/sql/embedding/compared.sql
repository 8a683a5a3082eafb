-- Purpose: keeps how a version compares with the active one. Service only. Parameters: name, comparison. Returns: nothing.
UPDATE engine.embedding_versions SET comparison = %(comparison)s WHERE name = %(name)s

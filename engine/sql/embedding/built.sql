-- Purpose: notes that nothing was left to do for a version. Service only. Parameters: name, now. Returns: nothing.
UPDATE engine.embedding_versions SET built_at = %(now)s WHERE name = %(name)s AND slot IS NOT NULL

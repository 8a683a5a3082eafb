-- Purpose: which of these files no manifest of the user knows. Service only. Parameters: root, files. Returns: unknown.
SELECT engine.unknown_files(%(root)s, %(files)s::uuid[]) AS unknown

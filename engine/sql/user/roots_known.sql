-- Purpose: which of these are schemas of roots: files of the engine lie under them. Service only. Parameters: roots. Returns: schema_name.
SELECT n.schema_name FROM engine.nodes AS n WHERE n.layer = 0 AND n.schema_name = ANY (%(roots)s::text[])

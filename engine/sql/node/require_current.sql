-- Purpose: refuses with NodeOutdated where the tables of one of these nodes are of an older version. Parameters: nodes. Returns: nothing of use.
SELECT engine.require_current(%(nodes)s::uuid[])

// Part: first_since(given): the earliest time since when one of these says that a relation holds; null where none says it.
reduce(first = null, one IN @given | CASE WHEN one.since < coalesce(first, '~') THEN one.since ELSE first END)

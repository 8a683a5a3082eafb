// Part: kind_told(kinds): the kind of an entity of which mentions give these: the one that most of them give, `thing` where none tells one.
coalesce(COLLECT { UNWIND @kinds AS told WITH told, count(*) AS times WHERE told <> 'thing' RETURN told ORDER BY times DESC, told LIMIT 1 }[0], 'thing')

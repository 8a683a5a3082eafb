-- Purpose: the user has looked at an entry that needed it. Parameters: entry_id, note, now. Returns: entry_id; raises NG404.
SELECT engine.review_file_state(%(entry_id)s, %(note)s, %(now)s) AS entry_id

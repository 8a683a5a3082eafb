-- Purpose: adds a commit to its session. Parameters: session_id, commit_id, counts, sources, now. Returns: nothing of use.
SELECT engine.note_ingested(%(session_id)s, %(commit_id)s, %(counts)s, %(sources)s, %(now)s)

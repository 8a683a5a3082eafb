-- Purpose: the unfinished commits that have to be finished before this one. Service only. Parameters: commit_id. Returns: commit_id.
SELECT commit_id FROM engine.commits_before(%(commit_id)s) AS b (commit_id) LIMIT 100

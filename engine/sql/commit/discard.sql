-- Purpose: discards a commit that is set aside and undoes what it wrote. Service only. Parameters: commit_id, actor, reason. Returns: nothing of use.
SELECT engine.discard_commit(%(commit_id)s, %(actor)s::text, %(reason)s::text)

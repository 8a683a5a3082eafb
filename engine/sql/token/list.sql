-- Purpose: tokens of a workspace, newest first, one page; never their hashes. Service only.
-- Parameters: workspace, after (the last token of the page before, or null), limit. Returns: tokens.
SELECT t.token_id, t.principal_kind, t.principal_id, t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.replaces
FROM engine.tokens AS t JOIN engine.workspaces AS w USING (workspace_id)
WHERE w.name = %(workspace)s
  AND (%(after)s::uuid IS NULL OR (t.created_at, t.token_id) < (
      SELECT p.created_at, p.token_id FROM engine.tokens AS p WHERE p.token_id = %(after)s AND p.workspace_id = w.workspace_id))
ORDER BY t.created_at DESC, t.token_id DESC LIMIT %(limit)s

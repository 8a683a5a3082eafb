-- Purpose: tries to open a conversation at any node, for any user, in the name of any principal: for the leak fuzzer, rolled back.
-- Parameters: user_id, key, node_id, principal_kind, principal_id. Returns: nothing.
INSERT INTO engine.conversations (user_id, source_id, conversation_id, principal_kind, principal_id, node_id, title, privacy, scope, source,
                                  turns, stored, chain, begun_at, last_at)
VALUES (%(user_id)s, %(key)s, 'c', %(principal_kind)s, %(principal_id)s, %(node_id)s, '', 'org', 'user', 'ingested', 0, 0, '', now(), now())

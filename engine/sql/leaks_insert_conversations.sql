-- Purpose: tries to open a conversation of any user: for the leak fuzzer, rolled back. Parameters: user_id, key. Returns: nothing.
INSERT INTO engine.conversations (user_id, source_id, conversation_id, principal_kind, principal_id, node_id, title, privacy, scope, source,
                                  turns, stored, chain, begun_at, last_at)
SELECT %(user_id)s::uuid, k.key, 'c', CASE WHEN k.persona IS NULL THEN 'user' ELSE 'persona' END, coalesce(k.persona, %(user_id)s::uuid), k.persona,
       '', 'org', 'user', 'ingested', 0, 0, '', now(), now()
FROM (SELECT %(key)s::text AS key, nullif(substring(%(key)s::text FROM '^persona:([^:]+):')::uuid, %(user_id)s::uuid) AS persona) AS k

-- Purpose: stages a record as a replay made it, in place of an earlier one. Parameters: the columns. Returns: nothing.
INSERT INTO engine.replayed_records
    (replay_id, record_id, user_id, node_id, revision, kept, added, ended, summary, keywords, missing, plan, vectors, tokens, embeddings)
VALUES (%(replay_id)s, %(record_id)s, %(user_id)s, %(node_id)s, %(revision)s, %(kept)s, %(added)s, %(ended)s, %(summary)s, %(keywords)s,
        %(missing)s, %(plan)s, %(vectors)s, %(tokens)s::bytea[], %(embeddings)s)
ON CONFLICT (replay_id, record_id) DO UPDATE
SET node_id = excluded.node_id, revision = excluded.revision, kept = excluded.kept, added = excluded.added, ended = excluded.ended,
    summary = excluded.summary, keywords = excluded.keywords, missing = excluded.missing, plan = excluded.plan, vectors = excluded.vectors,
    tokens = excluded.tokens,    embeddings = excluded.embeddings

-- Purpose: a fact of a record, as an ingest with a model would enter it: for the leak fuzzer. Service only.
-- Parameters: fact_id, user_id, node_id, record_id, privacy, scope, scope_id, over (whether a newer one ended it). Returns: nothing.
INSERT INTO engine.facts (fact_id, user_id, node_id, record_id, chain_id, subject, privacy, scope, scope_id, status, valid_from, valid_to, known_from,
                          invalidated_at)
VALUES (%(fact_id)s, %(user_id)s, %(node_id)s, %(record_id)s, %(fact_id)s, 1, %(privacy)s, %(scope)s, %(scope_id)s,
        CASE WHEN %(over)s THEN 'superseded' ELSE 'live' END, '-infinity', CASE WHEN %(over)s THEN now() END, now(), CASE WHEN %(over)s THEN now() END)

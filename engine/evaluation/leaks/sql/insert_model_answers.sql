-- Purpose: tries to keep an answer of a model in the name of any principal: for the leak fuzzer, rolled back. Parameters: user_id, node_id. Returns: nothing.
INSERT INTO engine.model_answers (user_id, key, model, prompt, answer, input_tokens, output_tokens, created_at)
VALUES (%(user_id)s, sha256(%(node_id)s::text::bytea), 'a model', 'a prompt', jsonb_build_object(), 0, 0, now())

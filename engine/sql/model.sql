-- name: answer_keep
-- Purpose: keeps an answer of a language model; the first one under a key stays.
-- Parameters: user_id, key, model, prompt, answer, input_tokens, output_tokens, now. Returns: nothing.
INSERT INTO engine.model_answers (user_id, key, model, prompt, answer, input_tokens, output_tokens, created_at)
VALUES (%(user_id)s, %(key)s, %(model)s, %(prompt)s, %(answer)s, %(input_tokens)s, %(output_tokens)s, %(now)s)
ON CONFLICT DO NOTHING

-- name: answers_known
-- Purpose: kept answers of language models. Parameters: keys (bytea[]). Returns: key, answer.
SELECT key, answer FROM engine.model_answers WHERE key = ANY (%(keys)s::bytea[]) LIMIT 10000

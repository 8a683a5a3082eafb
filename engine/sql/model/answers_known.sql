-- Purpose: kept answers of language models. Parameters: keys (bytea[]). Returns: key, answer.
SELECT key, answer FROM engine.model_answers WHERE key = ANY (%(keys)s::bytea[]) LIMIT 10000

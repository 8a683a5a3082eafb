-- Purpose: the retrieval benchmark's baseline: words and meaning weighed equally, any word of the question counts.
-- Parameters: question (text), vector, limit. Returns: item_id, content, score.
WITH asked AS (
    SELECT replace(plainto_tsquery('english', %(question)s::text)::text, '&', '|')::tsquery AS words
)
SELECT i.item_id, i.content,
       0.5 * ts_rank_cd(i.words, a.words, 32) + 0.5 * (1 - (i.embedding <=> %(vector)s)) AS score
FROM bench_items AS i, asked AS a
ORDER BY score DESC LIMIT %(limit)s

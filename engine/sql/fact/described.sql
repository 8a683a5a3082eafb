-- Purpose: the strongest facts about some subjects that all may know who read a node, for the user of the graph. Parameters: lines [{number, subject (hash),
--   node (null: any)}], most (of each). Returns: number, text.
SELECT f.number, f.text FROM engine.facts_described(%(lines)s, %(most)s::integer) AS f LIMIT 1000

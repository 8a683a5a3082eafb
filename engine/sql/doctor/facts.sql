-- Purpose: facts that a commit has carried into the graph as they are now, one page; confirmations, too. Service only. Parameters: after (fact_id), most.
-- Returns: fact_id, user_id, revision, status, supersedes, confirms.
SELECT f.fact_id, f.user_id, f.revision, f.status, f.supersedes, f.confirms FROM engine.facts AS f
WHERE f.fact_id > %(after)s AND f.revision = f.graph_revision ORDER BY f.fact_id LIMIT %(most)s

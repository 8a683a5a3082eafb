-- Purpose: facts that a commit has carried into the graph as they are now, one page. Service only. Parameters: after (fact_id), most.
-- Returns: fact_id, user_id, revision, status, supersedes.
SELECT f.fact_id, f.user_id, f.revision, f.status, f.supersedes FROM engine.facts AS f
WHERE f.fact_id > %(after)s AND f.revision = f.graph_revision AND f.status NOT IN ('confirmation', 'withdrawn') ORDER BY f.fact_id LIMIT %(most)s

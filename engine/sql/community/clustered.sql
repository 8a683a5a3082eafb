-- Purpose: the clusters of a user at the last build, with all their facts. Service only. Parameters: user_id. Returns: cluster_id, facts.
SELECT c.cluster_id, c.facts FROM engine.fact_clusters AS c WHERE c.user_id = %(user_id)s ORDER BY c.cluster_id LIMIT 10000

-- Purpose: removes the clusters of a user that a build did not find again. Service only. Parameters: user_id, kept (ids). Returns: nothing.
DELETE FROM engine.fact_clusters WHERE user_id = %(user_id)s AND cluster_id <> ALL (%(kept)s::uuid[])

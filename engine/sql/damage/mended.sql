-- Purpose: after a look at all nodes: strikes those off the list of damaged ones that are whole again. Service only.
-- Parameters: still (uuid[], those that are damaged). Returns: nothing.
DELETE FROM engine.damage WHERE node_id <> ALL (%(still)s::uuid[])

-- Records that were moved to a node which is younger than they are, in reads of the time before it.

CREATE INDEX assignments_moved ON engine.assignments (user_id, node_id) WHERE moved_from IS NOT NULL;

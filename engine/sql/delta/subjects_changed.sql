-- Purpose: what changed in a graph, at one node, or of one subject, between two times on either clock; one page by node and subject.
-- Parameters: user_id, node_id, subject_id (or null), from_time, to_time, after_node, after_subject (last of the page before, or null), limit.
-- Returns: node_id, subject_id, subject_kind.
SELECT node_id, subject_id, subject_kind
FROM engine.subjects_changed(%(user_id)s, %(node_id)s::uuid, %(subject_id)s::uuid, %(from_time)s::timestamptz, %(to_time)s::timestamptz,
                                      %(after_node)s::uuid, %(after_subject)s::uuid, %(limit)s::integer)

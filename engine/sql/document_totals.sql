-- Purpose: how many chunks all versions of a document brought, and how many the first: what the graph counts by. Parameters: document_id.
-- Returns: total, first.
SELECT coalesce(sum(added), 0)::integer AS total, coalesce(sum(added) FILTER (WHERE version = 1), 0)::integer AS first
FROM engine.document_versions WHERE document_id = %(document_id)s

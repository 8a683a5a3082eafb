-- Purpose: passages of a file that the principal is shown in part, in their order, one page.
-- Parameters: node_id, file_id, after (the last place of the page before), limit. Returns: place, section, content.
SELECT place, section, content FROM engine.part_passages(%(node_id)s, %(file_id)s, %(after)s::bigint, %(limit)s::integer)

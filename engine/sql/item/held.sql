-- Purpose: the items of a record as they are kept, for another reading. Identifier: schema. Parameters: record_id.
-- Returns: item_id, kind, session, position, source_ref, speaker, section, occurred_at, span_start, span_end, revision, whole (whether it holds a
--   whole input), content (what it began with, whatever it was changed to), holds, superseded (a renewal of the record ended it); by position.
SELECT i.item_id, i.kind, i.session, i.position, i.source_ref, i.speaker, i.section, i.occurred_at,
       lower(i.span) AS span_start, upper(i.span) AS span_end, i.revision, i.category = 'whole' AS whole,
       CASE WHEN i.revision > 1 THEN coalesce(
           (SELECT d.payload #>> '{{fields,content,before}}' FROM {schema}.delta_log AS d
            WHERE d.subject_id = i.item_id AND d.payload #> '{{fields,content}}' IS NOT NULL ORDER BY d.revision LIMIT 1), i.content)
            ELSE i.content END AS content,
       i.known_to IS NULL AS holds,
       i.known_to IS NOT NULL AND EXISTS (SELECT FROM {schema}.delta_log AS d
                                          WHERE d.subject_id = i.record_id AND d.created_at = i.known_to) AS superseded
FROM {schema}.memory_items AS i
WHERE i.record_id = %(record_id)s AND i.version_of IS NULL ORDER BY i.position, i.item_id LIMIT 1000000

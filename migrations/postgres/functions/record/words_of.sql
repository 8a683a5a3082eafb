-- Word counts of stored documents: unit, term (0 counts documents), documents; of some records and their items at a node, NULL for all records.
-- Counts current rows only: no slices, no ended items, and not the fact that is a whole input.
CREATE OR REPLACE FUNCTION engine.words_of(p_schema text, p_records uuid[]) RETURNS TABLE (unit text, term integer, documents integer)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT d.kept || d.unit, t.term, count(*)::integer FROM (
             SELECT CASE WHEN scope <> ''user'' THEN ''private scoped '' WHEN privacy = ''private'' THEN ''private '' ELSE '''' END AS kept,
                    CASE kind WHEN ''turn'' THEN ''turn'' ELSE ''passage'' END AS unit, terms
             FROM %1$I.memory_items WHERE ($1 IS NULL OR record_id = ANY ($1)) AND version_of IS NULL AND known_to IS NULL AND category <> ''whole''
             UNION ALL
             SELECT CASE WHEN scope <> ''user'' THEN ''private scoped '' WHEN privacy = ''private'' THEN ''private '' ELSE '''' END, ''record'', terms
             FROM %1$I.metadata_records WHERE ($1 IS NULL OR record_id = ANY ($1)) AND version_of IS NULL) AS d,
         LATERAL (SELECT 0 AS term UNION ALL
                  SELECT split_part(entry, '':'', 1)::integer
                  FROM unnest(string_to_array(btrim(split_part(d.terms::text, ''/'', 1), ''{}''), '','')) AS entry WHERE entry <> '''') AS t
         GROUP BY 1, 2 ORDER BY 1, 2', p_schema)
    USING p_records;
END $$;

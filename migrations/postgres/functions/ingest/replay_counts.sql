-- How staged records differ from the stored ones.
CREATE OR REPLACE FUNCTION engine.replay_counts(p_replay uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT jsonb_build_object(
        'records', count(*), 'differing', count(s.plan), 'kept', coalesce(sum(s.kept), 0), 'added', coalesce(sum(s.added), 0),
        'ended', coalesce(sum(s.ended), 0), 'summaries', count(*) FILTER (WHERE s.summary),
        'keywords', count(*) FILTER (WHERE s.keywords), 'missing', count(*) FILTER (WHERE s.missing))
    FROM engine.replayed_records AS s WHERE s.replay_id = p_replay;
END;
GRANT EXECUTE ON FUNCTION engine.replay_counts TO neurigraph_request;

-- A proposal that was made is an event of the hierarchy, also where it moved nothing: undoing it is then no error.
ALTER TABLE engine.hierarchy_log DROP CONSTRAINT hierarchy_log_event_check,
    ADD CONSTRAINT hierarchy_log_event_check CHECK (event IN ('too_deep', 'proposed'));
CREATE INDEX hierarchy_proposed ON engine.hierarchy_log ((detail ->> 'proposal_id')) WHERE event = 'proposed';

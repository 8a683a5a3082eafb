-- Background jobs: what became of their runs. The queue itself is the library's and lies in the schema _queue, which the
-- engine fills and keeps up to date when it starts (engine/jobs/schema.py). A node's schema never begins with an
-- underscore. The request role has no right on any of this.

CREATE SCHEMA _queue;

-- Which of the library's scripts were applied to _queue.
CREATE TABLE engine.queue_scripts (
    name       text PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE engine.queue_scripts ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.queue_scripts FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.queue_scripts TO CURRENT_USER USING (true) WITH CHECK (true);

-- One line a run. `quiet`: it found nothing to do; such lines are kept for an hour only.
CREATE TABLE engine.job_runs (
    run_id      bigint PRIMARY KEY,  -- the queue's number
    job         text NOT NULL CHECK (char_length(job) BETWEEN 1 AND 100),
    cause       text NOT NULL CHECK (cause IN ('schedule', 'request', 'retry', 'takeover')),
    attempt     integer NOT NULL CHECK (attempt >= 1),
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    outcome     text CHECK (outcome IN ('succeeded', 'failed', 'cancelled', 'lost')),
    quiet       boolean NOT NULL DEFAULT false,
    report      json,  -- keeps the order that its job gave it
    failure     text,
    CHECK ((outcome IS NULL) = (finished_at IS NULL))
);
CREATE INDEX job_runs_of_job ON engine.job_runs (job, run_id DESC);
ALTER TABLE engine.job_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.job_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.job_runs TO CURRENT_USER USING (true) WITH CHECK (true);

-- Counts since the beginning: the lines above are cleaned up, these stay.
CREATE TABLE engine.job_totals (
    job      text PRIMARY KEY,
    runs     bigint NOT NULL CHECK (runs >= 0),
    failures bigint NOT NULL CHECK (failures BETWEEN 0 AND runs)
);
ALTER TABLE engine.job_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.job_totals FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.job_totals TO CURRENT_USER USING (true) WITH CHECK (true);

-- What the clean-up looks for.
CREATE INDEX idempotency_age ON engine.idempotency (created_at);
CREATE INDEX outbox_done ON engine.outbox (done_at) WHERE state = 'done';

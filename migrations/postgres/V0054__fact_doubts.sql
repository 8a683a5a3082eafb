-- Pairs of facts in doubt. Rules, or a model, compared a fact with a known one and did not end it: the newer one may replace the older ("moved to
-- Bergen" and "lives in Oslo"), or says the opposite ("loves" and "hates"). Both stay live and are shown with a mark, until the user decides.
--
--   newer, older  by when they were said. A pair counts while both facts are live; it stays when one of them ends or is withdrawn
--   kind          maybe: the newer one may replace the older; contradicts: both cannot be true
--   decision      replaced: the older one ended where the newer begins; both: both hold, no mark. NULL: undecided
--
-- Only engine.set_doubts writes, for a principal that may write the newer fact.

CREATE TABLE engine.fact_doubts (
    newer      uuid NOT NULL REFERENCES engine.facts ON DELETE CASCADE,
    older      uuid NOT NULL REFERENCES engine.facts ON DELETE CASCADE CHECK (older <> newer),
    user_id    uuid NOT NULL REFERENCES engine.users,
    kind       text NOT NULL CHECK (kind IN ('maybe', 'contradicts')),
    since      timestamptz NOT NULL,
    decision   text CHECK (decision IN ('replaced', 'both')),
    decided_at timestamptz,
    PRIMARY KEY (newer, older),
    CHECK ((decision IS NULL) = (decided_at IS NULL))
);
CREATE UNIQUE INDEX fact_doubts_once ON engine.fact_doubts (least(newer, older), greatest(newer, older));
CREATE INDEX fact_doubts_of_older ON engine.fact_doubts (older);
CREATE INDEX fact_doubts_undecided ON engine.fact_doubts (user_id, since DESC, newer, older) WHERE decision IS NULL;

ALTER TABLE engine.fact_doubts ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.fact_doubts FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.fact_doubts TO CURRENT_USER USING (true) WITH CHECK (true);
-- Whoever may read both facts: the policy of facts is asked for each.
CREATE POLICY readable ON engine.fact_doubts FOR SELECT TO neurigraph_request
    USING (EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = fact_doubts.newer) AND EXISTS (SELECT FROM engine.facts AS f WHERE f.fact_id = fact_doubts.older));
GRANT SELECT ON engine.fact_doubts TO neurigraph_request;

INSERT INTO engine.fact_doubts (newer, older, user_id, kind, since)
SELECT DISTINCT ON (least(f.fact_id, o.fact_id), greatest(f.fact_id, o.fact_id)) f.fact_id, o.fact_id, f.user_id, 'contradicts', f.known_from
FROM engine.facts AS f JOIN engine.facts AS o ON o.fact_id = f.contradicts AND o.user_id = f.user_id
ORDER BY least(f.fact_id, o.fact_id), greatest(f.fact_id, o.fact_id), f.known_from DESC;
ALTER TABLE engine.facts DROP COLUMN contradicts;

COMMENT ON TABLE engine.fact_doubts IS 'Pairs of facts in doubt: the newer one may replace the older, or says the opposite.';
COMMENT ON COLUMN engine.fact_doubts.newer IS 'the fact that was said last';
COMMENT ON COLUMN engine.fact_doubts.older IS 'the one that may have been replaced, or is contradicted';
COMMENT ON COLUMN engine.fact_doubts.kind IS 'maybe: the newer may replace the older; contradicts: both cannot be true';
COMMENT ON COLUMN engine.fact_doubts.since IS 'when the pair was found';
COMMENT ON COLUMN engine.fact_doubts.decision IS 'replaced: the older ended; both: both hold; empty: undecided';
COMMENT ON COLUMN engine.fact_doubts.decided_at IS 'when the user decided';

-- They return more than before.
DROP FUNCTION IF EXISTS engine.facts_chained(uuid[]);
DROP FUNCTION IF EXISTS engine.facts_around(uuid[], uuid[], boolean);
DROP FUNCTION IF EXISTS engine.facts_behind(uuid[], integer);
DROP FUNCTION IF EXISTS engine.facts_shown(bigint, uuid, text, boolean, uuid, uuid, integer);
DROP FUNCTION IF EXISTS engine.fact_texts(uuid[]);

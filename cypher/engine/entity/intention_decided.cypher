// Purpose: the state that the user gives an intention. Idempotent; an older decision that comes late changes nothing.
// Parameters: decision {intention_id, user_id, state, at, reason}. Returns: intention_id; no row where it is missing.
MATCH (:Record)-[i:INTENDS {intention_id: $decision.intention_id}]->(:Entity)
WHERE i.user_id = $decision.user_id
SET i.text = i.text  // takes the lock
WITH i, coalesce(i.state_at >= datetime($decision.at), false) AS late
SET i.state = CASE WHEN late THEN i.state ELSE $decision.state END, i.reason = CASE WHEN late THEN i.reason ELSE $decision.reason END,
    i.state_at = CASE WHEN late THEN i.state_at ELSE datetime($decision.at) END
RETURN i.intention_id AS intention_id

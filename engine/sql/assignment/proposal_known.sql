-- Purpose: whether a user has made a proposal of nodes. Parameters: user_id, proposal_id. Returns: known.
SELECT EXISTS (SELECT FROM engine.hierarchy_log AS l
               WHERE l.user_id = %(user_id)s AND l.event = 'proposed' AND l.detail ->> 'proposal_id' = %(proposal_id)s::text) AS known

-- Purpose: makes the chains agree with what ended or came back at a node and strikes the node off unless it was noted again.
-- Service only. Parameters: node_id, noted_at, now. Returns: settled (rows).
WITH done AS (DELETE FROM engine.unchained_facts WHERE node_id = %(node_id)s AND noted_at = %(noted_at)s)
SELECT engine.settle_facts(%(node_id)s, %(now)s) AS settled

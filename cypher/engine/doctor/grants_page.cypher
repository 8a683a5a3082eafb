// Purpose: grants of the graph, one page. Operator only, all users. Parameters: after (grant id), limit. Returns: grant_id.
MATCH (:Subject)-[g:GRANTED]->(:Node) WHERE g.grant_id > $after
RETURN g.grant_id AS grant_id ORDER BY g.grant_id LIMIT $limit

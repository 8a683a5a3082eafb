-- Purpose: users whose graph lacks some facts as they are now, one page. Service only. Parameters: after (user_id), most. Returns: user_id.
SELECT DISTINCT f.user_id FROM engine.facts AS f JOIN engine.nodes AS n ON n.node_id = f.node_id
WHERE f.revision > f.graph_revision AND n.state = 'live' AND f.user_id > %(after)s ORDER BY f.user_id LIMIT %(most)s

-- Purpose: how many communities the last build of each user entered in the graph, one page. Service only. Parameters: after (user_id), most. Returns: user_id, communities.
SELECT b.user_id, b.communities FROM engine.derived_builds AS b WHERE b.user_id > %(after)s ORDER BY b.user_id LIMIT %(most)s

-- Purpose: whether this database holds any user. Service only. Parameters: none. Returns: users.
SELECT EXISTS (SELECT FROM engine.users) AS users

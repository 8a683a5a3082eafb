-- Purpose: statistics of the baseline's table; autovacuum does not analyze it. Parameters: none. Returns: nothing.
ANALYZE bench_items

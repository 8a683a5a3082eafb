-- Purpose: statistics of the baseline's table, which nobody else collects. Parameters: none. Returns: nothing.
ANALYZE bench_items

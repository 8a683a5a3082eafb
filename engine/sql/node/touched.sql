-- Purpose: access times and counts of what retrievals returned of one node. A node without its tables is left out.
-- Parameters: node uuid; items uuid[] with counts integer[] in the same order; records uuid[]; at timestamptz. Runs as the service.
SELECT engine.touch(%(node)s, %(items)s::uuid[], %(counts)s::integer[], %(records)s::uuid[], %(at)s)

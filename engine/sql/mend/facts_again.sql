-- Purpose: has the job carry these facts into the graph again. Service only. Parameters: facts (ids). Returns: nothing.
UPDATE engine.facts SET graph_revision = 0 WHERE fact_id = ANY (%(facts)s::uuid[])

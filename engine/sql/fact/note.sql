-- Purpose: notes nodes whose facts a job is to compare with the chains. Parameters: nodes (ids). Returns: nothing.
SELECT engine.note_facts(%(nodes)s)

-- Purpose: notes nodes where something is written without its vectors. Parameters: nodes. Returns: nothing of use.
SELECT engine.note_pending_vectors(%(nodes)s::uuid[])

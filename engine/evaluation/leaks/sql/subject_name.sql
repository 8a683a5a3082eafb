-- Purpose: what a subject of grants is called, whoever asks: for the leak fuzzer. Parameters: subject_id. Returns: name, or NULL.
SELECT engine.subject_name(%(subject_id)s) AS name

-- Purpose: the name of a grant's subject, for any asker: for the leak fuzzer. Parameters: subject_id. Returns: name, or NULL.
SELECT engine.subject_name(%(subject_id)s) AS name

-- Purpose: sets the password of the unprivileged role. Identifier-free; the password is a literal. Returns: nothing.
ALTER ROLE neurigraph_request LOGIN PASSWORD {password}

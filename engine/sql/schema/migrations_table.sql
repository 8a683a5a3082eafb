-- Purpose: the table that knows what was applied. Parameters: none. Returns: nothing.
CREATE TABLE IF NOT EXISTS public.neurigraph_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

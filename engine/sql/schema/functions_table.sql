-- Purpose: the table that knows which text of a function was applied, and in which order. Parameters: none. Returns: nothing.
CREATE TABLE IF NOT EXISTS public.neurigraph_functions (
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied    bigint GENERATED ALWAYS AS IDENTITY,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, checksum)
)

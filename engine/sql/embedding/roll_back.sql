-- Purpose: makes the archived version that still has its slot active again, in one step. Service only.
-- Parameters: none. Returns: name; NG409 where there is none.
SELECT engine.roll_back_embeddings() AS name

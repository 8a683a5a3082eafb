-- Purpose: writes of which attributes facts speak, in the transaction that enters these. Parameters: rows (json array of fact_id, attribute, label, kind, single).
-- Returns: nothing.
SELECT engine.enter_attributes(%(rows)s)

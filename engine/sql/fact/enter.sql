-- Purpose: writes facts as they were decided, in the transaction that decided. Parameters: rows (json array of FactRow). Returns: nothing.
SELECT engine.enter_facts(%(rows)s)

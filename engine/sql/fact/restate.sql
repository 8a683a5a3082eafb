-- Purpose: writes what became of facts when a source was withdrawn or came back. Parameters: rows (json array of FactRow). Returns: nothing.
SELECT engine.restate_facts(%(rows)s)

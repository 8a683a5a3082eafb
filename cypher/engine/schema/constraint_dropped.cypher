// Purpose: drops a constraint whose index failed, or that is another than its migration makes. Parameters: name. Returns: nothing.
DROP CONSTRAINT $name IF EXISTS

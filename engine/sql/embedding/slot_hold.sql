-- Purpose: holds a version's slot until the transaction ends; refuses where it lies there no longer (NG411). Service only.
-- Parameters: version, slot. Returns: one row, ignored.
SELECT engine.hold_slot(%(version)s, %(slot)s)

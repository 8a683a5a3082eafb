-- Purpose: notes records that a model was to read and has not. Parameters: records, nodes, reasons (of one length), now. Returns: nothing of use.
SELECT engine.note_unread(%(records)s::uuid[], %(nodes)s::uuid[], %(reasons)s::text[], %(now)s)

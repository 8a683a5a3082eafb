-- The offset from UTC, in minutes, of the times of streamed turns and conversations, NULL for UTC: by the instant alone nobody knows on which day
-- of its speaker a turn was said. Of stored items it stands among their dates (engine/domain/said.py).
ALTER TABLE engine.conversation_turns ADD COLUMN said_offset smallint CHECK (said_offset <> 0 AND said_offset BETWEEN -1439 AND 1439);
ALTER TABLE engine.conversations ADD COLUMN started_offset smallint CHECK (started_offset <> 0 AND started_offset BETWEEN -1439 AND 1439);
COMMENT ON COLUMN engine.conversation_turns.said_offset IS 'minutes that the clock of the speaker is ahead of UTC; null: none';
COMMENT ON COLUMN engine.conversations.started_offset IS 'minutes that the clock of its beginning is ahead of UTC; null: none';
COMMENT ON COLUMN template.memory_items.dates IS 'days that the text names, and the clock of who said it, as @-06:00, where that is not UTC';

DROP FUNCTION IF EXISTS engine.append_turns(text, jsonb, integer, text[], bytea[], integer[], text[], timestamptz[], text[], text[], timestamptz);
DROP FUNCTION IF EXISTS engine.context_items(uuid[], uuid[], uuid[], text[], text[], timestamptz, timestamptz, timestamptz);

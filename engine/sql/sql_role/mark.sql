-- Purpose: marks the views of analysts with the checksum of the text that made them. Literal: mark. Returns: nothing.
COMMENT ON SCHEMA analysis IS {mark}

-- Purpose: marks the views of analysts with the checksum of the text that made them, as their owner; then the administrator goes on. Literal: mark. Returns: nothing.
COMMENT ON SCHEMA analysis IS {mark};
RESET ROLE

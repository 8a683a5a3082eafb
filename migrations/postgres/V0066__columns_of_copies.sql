-- Rows of a move are found by the name of a column, not by a condition in text.
DROP FUNCTION IF EXISTS engine.copy_rows(text, text, text, text, uuid[]);

-- Purpose: one vector, as it is. Identifier: table. Parameters: place, short, whole, padding (as long as the rest of an item's row). Returns: nothing.
INSERT INTO {table} (place, short, whole, padding) VALUES (%(place)s, %(short)s, %(whole)s, %(padding)s)

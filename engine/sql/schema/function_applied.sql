-- Purpose: notes that a text of a function was applied. Parameters: name, checksum. Returns: nothing.
INSERT INTO public.neurigraph_functions (name, checksum) VALUES (%(name)s, %(checksum)s)

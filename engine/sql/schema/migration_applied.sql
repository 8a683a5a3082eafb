-- Purpose: notes an applied migration. Parameters: version, name, checksum. Returns: nothing.
INSERT INTO public.neurigraph_migrations (version, name, checksum) VALUES (%(version)s, %(name)s, %(checksum)s)

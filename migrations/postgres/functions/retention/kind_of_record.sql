-- The kind of a record as rules of retention name it: conversation, text, file, fact or event.
CREATE OR REPLACE FUNCTION engine.kind_of_record(p_content_type text, p_source text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
RETURN CASE WHEN starts_with(p_source, 'fact:') THEN 'fact' WHEN p_content_type IN ('conversation', 'event') THEN p_content_type
            WHEN p_content_type = 'file_upload' OR starts_with(p_source, 'file:') THEN 'file' ELSE 'text' END;

-- Purpose: where the bytes of a resource lie. Parameters: user_id, resource_id. Returns: object_key, packed, content_hash, file_name, media_type;
--   none where there is none that may be seen.
SELECT object_key, packed, content_hash, file_name, media_type
FROM engine.raw_resources WHERE resource_id = %(resource_id)s AND user_id = %(user_id)s

-- The parts of a conversation, and the versions of a document, are found by their source: an export writes a conversation as a whole.

CREATE INDEX raw_resources_of_source ON engine.raw_resources (user_id, source_id, received_at, resource_id);

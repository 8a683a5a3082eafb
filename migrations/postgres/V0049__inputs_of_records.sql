-- The input that brought a record or an item is found by the record.

CREATE INDEX raw_resources_of_record ON engine.raw_resources (record_id, received_at);

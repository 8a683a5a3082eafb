-- Sets the time of a move in the moved rows, in the transaction of the move.
CREATE OR REPLACE FUNCTION engine.set_moved_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = NEW.node_id);
BEGIN
    EXECUTE format('UPDATE %I.metadata_records SET moved_at = $2 WHERE record_id = $1 OR version_of = $1', place) USING NEW.record_id, NEW.decided_at;
    EXECUTE format('UPDATE %I.memory_items SET moved_at = $2 WHERE record_id = $1', place) USING NEW.record_id, NEW.decided_at;
    RETURN NULL;
END $$;

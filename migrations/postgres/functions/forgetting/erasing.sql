-- The forgetting that this transaction has a permit for; NULL without one. There is nothing to set: a permit is a line that only neurigraph_erasure.permit() enters.
CREATE OR REPLACE FUNCTION engine.erasing() RETURNS engine.forgettings
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found engine.forgettings;
BEGIN
    SELECT f.* INTO found FROM engine.erasures AS e JOIN engine.forgettings AS f ON f.forgetting_id = e.forgetting_id
    WHERE e.xid = pg_current_xact_id_if_assigned() AND e.opened_at = transaction_timestamp();
    RETURN found;
END $$;

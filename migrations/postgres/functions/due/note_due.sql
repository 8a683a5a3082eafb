-- Notes that something of these nodes is to be derived, in the transaction that writes there; a job begins with all of the node. A principal
-- notes nodes that it may write to.
CREATE OR REPLACE FUNCTION engine.note_due(p_derivation text, p_nodes uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.due AS d (derivation, node_id)
    SELECT DISTINCT p_derivation, n.id FROM unnest(p_nodes) AS n (id)
    WHERE session_user <> 'neurigraph_request' OR engine.can('write', n.id) ORDER BY 2
    ON CONFLICT (derivation, node_id, record_id) DO UPDATE SET after = excluded.after, noted = d.noted + 1;
END;
GRANT EXECUTE ON FUNCTION engine.note_due TO neurigraph_request;

-- Notes that items of a node may lack their entities or tokens: a job looks at all of them. Service only.
CREATE OR REPLACE FUNCTION engine.note_older_items(p_node uuid, p_lacking text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO engine.older_items (node_id, lacking) VALUES (p_node, p_lacking)
    ON CONFLICT (lacking, node_id) DO UPDATE SET after = excluded.after;
END;

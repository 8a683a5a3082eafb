-- Notes these nodes for all that is made from this: content, embeddings, or another derivation. Service only; the last lock of its transaction.
CREATE OR REPLACE FUNCTION engine.note_needing(p_need text, p_nodes uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO engine.due AS d (derivation, node_id)
    SELECT DISTINCT m.name, n.id FROM engine.derivations AS m, unnest(p_nodes) AS n (id) WHERE p_need = ANY (m.needs) ORDER BY 1, 2
    ON CONFLICT (derivation, node_id, record_id) DO UPDATE SET after = excluded.after, noted = d.noted + 1;
END $$;

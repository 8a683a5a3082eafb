-- Nodes with items that may lack the stems of their language among their terms: all that there are. A job adds them (engine.older_items).
ALTER TABLE engine.older_items
    DROP CONSTRAINT older_items_lacking_check,
    ADD CONSTRAINT older_items_lacking_check CHECK (lacking IN ('entities', 'tokens', 'stems'));
INSERT INTO engine.older_items (node_id, lacking) SELECT node_id, 'stems' FROM engine.nodes;

-- Trigger: every change of a fact raises its revision. What only says how far the graph is, is none.
CREATE OR REPLACE FUNCTION engine.raise_fact_revision() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    compared engine.facts := NEW;
BEGIN
    compared.revision := OLD.revision;
    compared.graph_revision := OLD.graph_revision;
    IF compared *<> OLD THEN
        NEW.revision := greatest(NEW.revision, OLD.revision + 1);
    END IF;
    RETURN NEW;
END $$;

-- Readers other than the user see no past from before their right, and of a file only what lies at its node.
--
--   since when   a grant shows its node from granted_at on, on both clocks, unless it says `past`. A persona's own subtree is shown from
--                its beginning. What was moved, a record or a node, is shown from the move on, wherever it came from
--   rows         a state that ended before that, on either clock, is no row for the reader. What holds now is shown, however old
--   files        a file that lies at several nodes is given to its user alone; a reader gets the passages of the node, as a part
--   deltas       from that time on; ids of nodes that may not be read, and reasons of others for moves from there, are left out
--
-- Who changes a record needs all of its past, and reads it in that transaction by the setting engine.whole_past.

-- Since when ---------------------------------------------------------------------------------------------------------

ALTER TABLE engine.grants ADD COLUMN past boolean NOT NULL DEFAULT false;

-- When a node was moved to the parent that it has; NULL: it was made there.
ALTER TABLE engine.nodes ADD COLUMN placed_at timestamptz;
UPDATE engine.nodes AS n SET placed_at = s.ended
FROM (SELECT s.node_id, s.parent_id, max(greatest(s.valid_to, s.known_to)) AS ended FROM engine.node_slices AS s GROUP BY 1, 2) AS s
WHERE s.node_id = n.node_id AND s.parent_id IS DISTINCT FROM n.parent_id;

-- Uses functions: template/set_placed_at
CREATE TRIGGER placed BEFORE UPDATE OF parent_id ON engine.nodes FOR EACH ROW
    WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION engine.set_placed_at();

-- The tables of a node -------------------------------------------------------------------------------------------------

-- moved_at: when a record came to its node from another one. part: the file lies at other nodes, too, and holds what lies there.
ALTER TABLE template.metadata_records ADD COLUMN moved_at timestamptz;
ALTER TABLE template.memory_items ADD COLUMN moved_at timestamptz;
ALTER TABLE template.file_manifest ADD COLUMN part boolean NOT NULL DEFAULT false;

-- Uses functions: template/set_moved_at
CREATE TRIGGER moved AFTER INSERT ON engine.assignments FOR EACH ROW
    WHEN (NEW.moved_from IS NOT NULL) EXECUTE FUNCTION engine.set_moved_at();

CREATE INDEX document_versions_of_file ON engine.document_versions (file_id);

-- Documents ----------------------------------------------------------------------------------------------------------------

DROP POLICY own ON engine.documents;
CREATE POLICY own ON engine.documents FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
           AND (user_id = (SELECT engine.principal_user()) OR engine.can('read', node_id, 'records')));
DROP POLICY own ON engine.document_versions;
-- Uses functions: record/version_is_shown
CREATE POLICY own ON engine.document_versions FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_graph()) AND starts_with(source_id, (SELECT engine.own_keys()))
           AND (user_id = (SELECT engine.principal_user()) OR engine.version_is_shown(document_id, version)));

-- Grants -----------------------------------------------------------------------------------------------------------------------

-- As before, with `past`: whether the node is shown as it was before the grant, too.
DROP FUNCTION IF EXISTS engine.grant_node;

-- Who could see a node at a time, as before; `past`: also as it was before the right began.
DROP FUNCTION IF EXISTS engine.audience;

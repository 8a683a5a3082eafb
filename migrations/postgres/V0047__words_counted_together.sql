-- In how many documents of a node a term occurs, for all nodes in one table: a search of many nodes asks once. Term 0 counts the documents.
--
--   unit   what is counted: a turn, a passage or a record; what is private and what is scoped stands apart
--
-- Who may read what a node counts: its readers, without the units of what is private; the owner all of it. The rights of others than the owner
-- are looked up once a statement (engine.nodes_within), not for each row.
-- Nodes of before keep their own table until they are upgraded to version 10 of the template; searches read both.

CREATE TABLE engine.term_counts (
    user_id   uuid NOT NULL,
    term      integer NOT NULL CHECK (term >= 0),
    node_id   uuid NOT NULL,
    unit      text NOT NULL CHECK (unit IN ('turn', 'passage', 'record', 'private turn', 'private passage', 'private record',
                                            'private scoped turn', 'private scoped passage', 'private scoped record')),
    documents integer NOT NULL CHECK (documents >= 0),
    PRIMARY KEY (user_id, term, node_id, unit)
) WITH (fillfactor = 80);  -- counts are raised in place
CREATE INDEX term_counts_of_node ON engine.term_counts (node_id);
ALTER TABLE engine.term_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine.term_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON engine.term_counts TO CURRENT_USER USING (true) WITH CHECK (true);
-- Uses functions: access/principal_user, access/principal_graph, access/can, access/nodes_within
CREATE POLICY readable ON engine.term_counts FOR SELECT TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())
           OR unit NOT LIKE 'private%' AND node_id IN (SELECT w.node_id FROM engine.nodes_within('read', 'items') AS w));
CREATE POLICY writable ON engine.term_counts FOR INSERT TO neurigraph_request
    WITH CHECK ((user_id, node_id) IN (SELECT w.user_id, w.node_id FROM engine.nodes_within('write', 'items') AS w)
                AND (unit NOT LIKE 'private%' OR user_id = (SELECT engine.principal_user())));
CREATE POLICY changeable ON engine.term_counts FOR UPDATE TO neurigraph_request
    USING (user_id = (SELECT engine.principal_user())
           OR unit NOT LIKE 'private%' AND node_id IN (SELECT w.node_id FROM engine.nodes_within('write', 'items') AS w));
GRANT SELECT, INSERT, UPDATE (documents) ON engine.term_counts TO neurigraph_request;

DROP TABLE template.term_counts;
DROP FUNCTION IF EXISTS engine.search_counts(text[], integer[]);
DROP FUNCTION IF EXISTS engine.search_vectors(text[], integer[], text[]);
DROP FUNCTION IF EXISTS engine.search_scan(uuid[], text[], integer[], vector, text, sparsevec, sparsevec, text[], text[], text[], timestamptz, timestamptz);
DROP FUNCTION IF EXISTS engine.search_contents(text, integer, uuid[], timestamptz, timestamptz);

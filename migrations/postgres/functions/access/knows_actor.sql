-- Whether the user of a graph may know who acted there: the user, an own persona, or an integration that it granted a node to.
CREATE OR REPLACE FUNCTION engine.knows_actor(p_user uuid, p_kind text, p_actor uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN CASE p_kind
    WHEN 'user' THEN p_actor = p_user
    WHEN 'persona' THEN EXISTS (SELECT FROM engine.nodes AS n WHERE n.node_id = p_actor AND n.user_id = p_user)
    WHEN 'third_party' THEN EXISTS (SELECT FROM engine.grants AS g
                                    WHERE g.user_id = p_user AND g.subject_kind = 'third_party' AND g.subject_id = p_actor)
    ELSE false END;

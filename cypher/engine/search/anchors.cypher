// Purpose: the nodes where a question's subjects live, by name, alias, full text, meaning of the shell, and over edges from
//   nodes that were named; each with the way to it and its edges; and the entities that the question names. One round trip; only what the
//   principal may read, also in what is counted and averaged.
// Parameters: user_id (whose graph), principal and kind (who asks; kind with blanks to 12 characters), keys (normal forms of possible names, at
//   least 101), text (Lucene query that holds +user_key, with blanks to 1,100 characters), vector (of the question, in float32; any one where
//   with_vector is false), version (its embedding version, with blanks to 40 characters), slot (a or b, where that lies), column and label (the
//   slot's properties), as_of, known_at (the end of time is now),
//   earliest (of both that are asked for, else the end of time: readers other than the user see nothing from before their right),
//   most (rows of each kind), most_found (rows that the indexes give before those not readable are left out), least_meaning (spreads),
//   exactly (so many shells are compared one by one; in bigger graphs the index finds them).
//   None is ever null and each has one type and one size class: the server plans again for each other combination, which takes seconds.
//   What others than the user may read is collected once, at the top: nine such filters made the plan twice as long.
// Returns: one row: anchors [{node_id, name, summary, node_type, layer, state, path, edges, above (ids of the readable nodes above it, the root first), below (ids
//   of the nodes under a named one), and what was found: named, aliased, text (Lucene score), meaning (spreads above the user's average
//   shell), linked (number of edges)}], entities [{entity_id, name, keys (of all that the user merged with it)}].
CYPHER 25
WITH $as_of AS as_of, trim($version) AS version, part.rights() AS rights
WITH as_of, version, rights,
     CASE WHEN $principal = $user_id THEN [] ELSE COLLECT {
       MATCH (r:Node {user_id: $user_id})
       WHERE r.name_key IS NOT NULL AND part.readable(r)
       RETURN r.node_id
     } END AS readable
CALL (as_of, version, readable) {
  CALL (as_of, readable) {
    CALL (as_of) {
      MATCH (n:Node {user_id: $user_id})
      WHERE n.name_key IS NOT NULL  // lets the index on user and name find all of a user
        AND (n.name_key IN $keys OR any(key IN n.alias_keys WHERE key IN $keys))
        AND NOT EXISTS { (n)-[:WAS]->(s:Past) WHERE part.holds(s) }
      RETURN n
      UNION
      MATCH (s:Past {user_id: $user_id})<-[:WAS]-(n:Node)
      WHERE s.name_key IN $keys AND part.holds(s)
      RETURN n
    }
    WITH n WHERE n.user_id = $user_id AND part.holds(n)
      AND ($principal = $user_id OR n.node_id IN readable)
    WITH n ORDER BY n.name_key IN $keys DESC, n.layer, n.name_key LIMIT $most
    RETURN collect(n) AS named
  }
  CALL (readable) {
    CALL db.index.fulltext.queryNodes('node_text', $text, {limit: $most_found}) YIELD node, score
    WITH node, score
    WHERE ($principal = $user_id OR node.node_id IN readable)
    WITH node, score ORDER BY score DESC, node.name_key LIMIT $most
    RETURN collect({node: node, text: score}) AS told
  }
  CALL (readable, version) {
    MATCH (n:Node {user_id: $user_id})
    WHERE $with_vector AND n.name_key IS NOT NULL AND n[$label] = version
      AND ($principal = $user_id OR n.node_id IN readable)
    WITH n LIMIT $exactly
    WITH n, vector.similarity.cosine(n[$column], $vector) AS cosine
    RETURN collect({node: n, cosine: cosine}) AS near, avg(cosine) AS mean, stDevP(cosine) AS spread
  }
  CALL (near, readable, version) {
    WITH near WHERE size(near) >= $exactly  // a bigger graph: the index finds the closest, the sample says what is usual
    CALL () {
      WITH 1 AS here WHERE $slot = 'a'
      MATCH (n:Node)
      SEARCH n IN (VECTOR INDEX shell_meaning_a FOR $vector WHERE n.user_id = $user_id LIMIT $most_found) SCORE AS cosine
      RETURN n, cosine
      UNION ALL
      WITH 1 AS here WHERE $slot = 'b'
      MATCH (n:Node)
      SEARCH n IN (VECTOR INDEX shell_meaning_b FOR $vector WHERE n.user_id = $user_id LIMIT $most_found) SCORE AS cosine
      RETURN n, cosine
    }
    WITH n, cosine
    WHERE ($principal = $user_id OR n.node_id IN readable)
    WITH n, cosine ORDER BY cosine DESC, n.name_key LIMIT $most
    RETURN collect(CASE n[$label] WHEN version THEN {node: n, cosine: cosine} END) AS nearest
  }
  CALL (near, nearest, mean, spread) {
    UNWIND near + nearest AS one
    WITH DISTINCT one.node AS node, CASE WHEN spread > 0 THEN (one.cosine - mean) / spread ELSE 0.0 END AS meaning
    WHERE meaning >= $least_meaning
    WITH node, max(meaning) AS meaning ORDER BY meaning DESC, node.name_key LIMIT $most
    RETURN collect({node: node, meaning: meaning}) AS meant
  }
  CALL (named, as_of, readable) {
    UNWIND named AS n
    MATCH (n)-[e:part.edge()|WAS_RELATED]-(o:Node)
    WHERE part.holds(e)
      AND ($principal = $user_id OR o.node_id IN readable)
    WITH o, count(DISTINCT e) AS edges ORDER BY edges DESC, o.name_key LIMIT $most
    RETURN collect({node: o, linked: edges}) AS linked
  }
  WITH as_of, readable, named, [n IN named | {node: n, named: n.name_key IN $keys}] + told + meant + linked AS findings
  UNWIND findings AS finding
  WITH as_of, readable, named, finding.node AS n, max(CASE finding.named WHEN true THEN 1 WHEN false THEN 0 END) AS naming,
       max(finding.text) AS text, max(finding.meaning) AS meaning, max(finding.linked) AS linked
  WHERE n.user_id = $user_id
    AND part.holds(n)
    AND NOT part.archived(n)
  CALL (n, as_of, readable) {
    MATCH way_down = (:Node {node_id: $user_id})-[:HAS_CHILD|HAD_CHILD*0..5]->(n)
    WHERE all(h IN relationships(way_down) WHERE part.holds(h))
    RETURN [p IN nodes(way_down) WHERE ($principal = $user_id OR p.node_id IN readable) | part.name_then(p)] AS path,
           [p IN nodes(way_down)[..-1] WHERE ($principal = $user_id OR p.node_id IN readable) | p.node_id] AS above LIMIT 1
  }
  CALL (n, as_of, readable) {
    MATCH (n)-[e:part.edge()|WAS_RELATED]-(o:Node {user_id: $user_id})
    WHERE part.holds(e)
      AND ($principal = $user_id OR o.node_id IN readable)
    WITH n, e, o ORDER BY e.edge_type, o.name_key LIMIT 50
    MATCH to_other = (root:Node)-[:HAS_CHILD|HAD_CHILD*0..5]->(o)
    WHERE root.node_id = $user_id AND all(h IN relationships(to_other) WHERE part.holds(h))
    RETURN collect({edge_type: e.edge_type, other_id: o.node_id, other_name: part.name_then(o), other_state: o.state,
                    outgoing: startNode(e) = n,
                    other_path: [p IN nodes(to_other) WHERE ($principal = $user_id OR p.node_id IN readable) | part.name_then(p)]}) AS edges
  }
  CALL (n, naming, readable) {
    MATCH (n)-[:HAS_CHILD*1..4]->(d:Node)
    WHERE naming IS NOT NULL AND n.layer > 0
      AND ($principal = $user_id OR d.node_id IN readable)
    WITH d LIMIT 1000
    RETURN collect(d.node_id) AS below
  }
  WITH as_of, {node_id: n.node_id, name: part.name_then(n), summary: part.summary_then(n), node_type: n.node_type, layer: n.layer, state: n.state,
    path: path, edges: edges, above: above, below: below, named: coalesce(naming = 1, false), aliased: coalesce(naming = 0, false),
    text: text, meaning: meaning, linked: linked} AS anchor, naming, meaning
  ORDER BY naming DESC, meaning DESC, anchor.node_id
  RETURN collect(anchor) AS anchors
}
CALL (as_of, rights) {
  CALL () {
    MATCH (a:Alias {user_id: $user_id})-[:NAMES]->(e:Entity)
    WHERE a.key IN $keys
    RETURN e, a.key AS key, a.value AS name
    UNION
    MATCH (e:Entity {user_id: $user_id})  // a second one of a name, which belongs to the first
    WHERE e.name_key IN $keys
    RETURN e, e.name_key AS key, CASE WHEN $principal = $user_id THEN e.name ELSE coalesce(head([(a:Alias {user_id: $user_id, type: 'name', key: e.name_key})-[:NAMES]->(:Entity) | a.value]), e.name_key) END AS name
  }
  WITH as_of, rights, e, key, name
  WHERE e.user_id = $user_id AND part.known_by(e, key)
  WITH as_of, e, max(name) AS name, max(size(key)) AS long ORDER BY long DESC, e.key LIMIT $most
  RETURN collect({entity_id: e.entity_id, name: name, keys: CASE WHEN $principal = $user_id THEN COLLECT {
    MATCH (e)-[joins:SUPERSEDES*0..5]-(one:Entity)
    WHERE all(join IN joins WHERE part.holds(join))
    RETURN DISTINCT one.key LIMIT 50
  } ELSE [e.key] END}) AS entities
}
RETURN anchors, entities

// Clauses: anchored(entity): leads an entity to those three nodes that have most of its mentions, and to no others: a picture of all could not be read.
WITH @entity, part.strongest(@entity) AS strongest
WITH @entity, strongest, COLLECT { MATCH (@entity)-[anchor:ANCHORED_AT]->(n:Node) WHERE none(kept IN strongest WHERE kept STARTS WITH n.node_id) RETURN anchor } AS weaker
FOREACH (anchor IN weaker | DELETE anchor)
WITH @entity, strongest
UNWIND strongest AS kept
MATCH (n:Node {node_id: left(kept, 36)})
MERGE (@entity)-[anchor:ANCHORED_AT]->(n)
SET anchor.mentions = toInteger(substring(kept, 37))

// Part: edge_type(name): the type in Neo4j of an edge of this type: its own in capitals, where part.edge lists that, or RELATED: another graph's users must not
//   find what somebody called an edge in the list of types of the database, and its types are never removed.
coalesce(head([listed IN ['SAME_PERSON', 'SAME_PLACE', 'SAME_THING', 'SIMILAR_TO', 'BELONGS_TO', 'DEPENDS_ON', 'LEADS_TO', 'COVERED_BY', 'ANSWERED_BY', 'FINANCED_BY', 'SOLD_TO', 'LOOKED_AFTER_BY', 'INHERITED_FROM', 'SHARED_WITH', 'MANAGED_BY', 'REPLACED_BY']
               WHERE listed = toUpper(replace(replace(@name, ' ', '_'), '-', '_'))]), 'RELATED')

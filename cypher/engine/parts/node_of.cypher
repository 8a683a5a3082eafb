// Part: node_of(record): the id of the node of a record; of one that has lost it, that of the node that holds it.
coalesce(@record.node_id, head(COLLECT { MATCH (holder:Node)-[:HOLDS]->(@record) RETURN holder.node_id }))

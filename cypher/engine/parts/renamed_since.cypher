// Part: renamed_since(entity): whether records gave up the display name of an entity after the last build of communities read the graph, which made texts with names in them.
EXISTS { MATCH (built:Node {node_id: @entity.user_id}) WHERE built.derived_at < last(@entity.withdrawn_at) }

// Purpose: the vector index over shells, filtered by user inside the index. Parameters: dimension. Returns: nothing.
CYPHER 25
CREATE VECTOR INDEX node_embedding IF NOT EXISTS FOR (n:Node) ON n.embedding WITH [n.user_id]
OPTIONS {indexConfig: {`vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine'}}

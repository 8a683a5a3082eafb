-- Purpose: indexes the vectors of a node by HNSW, in half precision, while it is read and written. Identifiers: schema, index, vectors; dimension (a
--   number). Parameters: none. Returns: nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {schema}.memory_items USING hnsw (({vectors}::halfvec({dimension})) halfvec_ip_ops)
    WITH (m = 16, ef_construction = 100)

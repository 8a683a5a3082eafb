// Purpose: removes facts that there are not. Operator only. Idempotent. Parameters: facts (ids). Returns: removed (facts).
UNWIND $facts AS id
MATCH (f:Fact {fact_id: id})
DETACH DELETE f
RETURN count(*) AS removed

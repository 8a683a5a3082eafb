// Purpose: has facts entered again, whatever they say of themselves now: the job that carries facts does it. Operator only. Idempotent. Parameters: facts (ids).
//   Returns: marked (facts).
UNWIND $facts AS id
MATCH (f:Fact {fact_id: id})
SET f.revision = 0, f.reader = null
RETURN count(f) AS marked

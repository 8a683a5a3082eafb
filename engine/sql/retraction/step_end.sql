-- Purpose: ends a step that is held. Parameters: retraction_id, place, facts (json array of {fact_id, role, before}), now. Returns: nothing.
SELECT engine.end_retraction_step(%(retraction_id)s, %(place)s, %(facts)s, %(now)s)

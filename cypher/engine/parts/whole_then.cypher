// Part: whole_then(entity): what an entity is read as at the moment that is asked for. Needs: as_of; parameter known_at.
COLLECT { MATCH (whole:Entity)-[merges:SUPERSEDES*0..]->(@entity) WHERE all(merge IN merges WHERE part.holds(merge))
          RETURN whole ORDER BY size(merges) DESC LIMIT 1 }[0]

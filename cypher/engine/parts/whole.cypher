// Part: whole(entity): it and the others of which one was merged into the other, as they are read now.
COLLECT { MATCH (@entity)-[merges:SUPERSEDES*0..]-(member:Entity) WHERE all(merge IN merges WHERE merge.known_to IS NULL) RETURN DISTINCT member }

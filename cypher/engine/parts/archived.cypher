// Part: archived(node): whether a node was archived at the moment that is asked for: its list holds each archiving and each end of one.
// Needs: as_of; parameter known_at.
size([time IN coalesce(@node.archivings, []) WHERE time <= CASE WHEN $known_at < as_of THEN $known_at ELSE as_of END]) % 2 = 1

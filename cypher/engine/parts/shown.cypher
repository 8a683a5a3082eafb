// Part: shown(record): whether a record held at the moment that is asked for, and is not kept from the principal: private ones are the user's
//   alone, and what was moved to its node is shown from then on.
// Needs: as_of; parameters user_id, principal, earliest, known_at.
($principal = $user_id OR coalesce(@record.privacy, 'org') <> 'private')
AND ($principal = $user_id OR coalesce(@record.moved_at <= $earliest, @record.moved_revision IS NULL OR $earliest > datetime()))
AND (part.holds(@record) OR EXISTS { (@record)-[:WAS]->(before:Past) WHERE part.holds(before) })

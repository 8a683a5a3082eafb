// Purpose: live facts, without plans whose day has passed, about the members of each community, the largest communities first, then the newest facts.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: community (the name of its most central member), subject, fact, since (day).
// Index: community_user.
// Result on the bundled history:
//   community      subject  fact                           since
//   Dave Kowalski  Ellen    Ellen lives at 8 Osprey Lane.  2025-10-18
CYPHER 25
MATCH (c:Community {user_id: $user_id})
USING INDEX SEEK c:Community(user_id)
MATCH (c)<-[:IN_COMMUNITY]-(member:Entity)-[merge:SUPERSEDES WHERE merge.known_to IS NULL]->*(:Entity)<-[:ABOUT {primary: true}]-(f:Fact)
WHERE member.active AND f.status = 'live' AND coalesce(f.holds_until > datetime(), true)
WITH c, member, f, head(COLLECT { MATCH (c)<-[:IN_COMMUNITY]-(one:Entity WHERE one.active)
                 RETURN one.name ORDER BY coalesce(one.importance, 0) DESC, one.name LIMIT 1 }) AS community
RETURN community, member.name AS subject, coalesce(f.caption, f.name) AS fact, date(coalesce(f.valid_from, f.said_at)) AS since
ORDER BY c.size DESC, community, since DESC, subject, fact LIMIT $limit

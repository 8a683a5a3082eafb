// Purpose: what somebody wants or plans to do and has neither done nor dropped, as records say, what is due first. Merged entities are one.
// Parameters: user_id (text: whose graph), limit (number: rows at most).
// Returns: who, intention, due, said (day), record (its title).
// Index: intention_user.
// Result on the bundled history with limit 5:
//   who         intention                                                                            due  said        record
//   Bob Harlan  I want to get it down before it blurs.                                                    2025-12-28  Christmas and a question from Dave
//   Bob Harlan  I want to get back into woodturning properly.                                             2025-03-16  Cedar Court and the old lathe
//   Bob Harlan  I'd like to learn that.                                                                   2025-03-16  Cedar Court and the old lathe
//   Bob Harlan  I want to make him foreman, properly, with the title on the truck door if he likes.       2025-01-12  Books, prices and a promotion
//   Bob Harlan  Present is harder, I'd like to make something.                                            2024-05-20  The big one, and a birthday
CYPHER 25
MATCH (r:Record)-[i:INTENDS {user_id: $user_id}]->(member:Entity)
USING INDEX SEEK i:INTENDS(user_id)
WHERE i.known_to IS NULL AND r.known_to IS NULL AND coalesce(r.valid_to > r.known_from, true) AND i.state = 'open'
MATCH (member)<-[merge:SUPERSEDES WHERE merge.known_to IS NULL]-*(e:Entity)
WHERE e.active
WITH e, i, r, date(coalesce(r.occurred_at, r.known_from)) AS said
RETURN e.name AS who, i.text AS intention, i.due AS due, said, r.title AS record
ORDER BY due IS NULL, due, said DESC, who, intention LIMIT $limit

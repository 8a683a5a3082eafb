// Part: told(fact, record): whether a fact that the record states is not kept from the principal: from others than the user what is private or over.
// Needs: as_of; parameters user_id, principal, earliest, known_at.
part.shown(@record) AND ($principal = $user_id OR (@fact.status = 'live' AND @fact.privacy <> 'private'))

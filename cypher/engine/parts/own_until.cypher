// Part: own_until(relation, given): until when a relation holds by what is stated of it (part.given_now) alone: as the newest says, or with the fact
//   that stated it.
CASE WHEN last(@given).ended THEN coalesce(last(@given).until, toString(date(last(@given).said)))
     WHEN @relation.ended_with IS NOT NULL AND all(one IN @given WHERE one.past) THEN @relation.until END

// Part: holds_now(record): whether a record holds now. One that was ended does no more; one that the user says to end later does.
@record.known_to IS NULL AND coalesce(@record.valid_to > @record.known_from, true)

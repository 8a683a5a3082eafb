// Names that statements ask for and that nobody had written yet: a plan that names what does not exist is made again when it comes into being.

UNWIND ['counted_revision', 'holds_until', 'retracted', 'state_locked'] AS name CALL db.createProperty(name);

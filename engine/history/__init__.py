"""How memories evolve: deltas of records, items, nodes and relations, their states at any moment, and what differs."""

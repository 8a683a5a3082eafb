"""The history of memories: deltas of records, items, nodes and edges, their states at any moment, and differences."""

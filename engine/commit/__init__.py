"""Commits over the stores: a transaction in Postgres, then the graph's part, then visibility."""

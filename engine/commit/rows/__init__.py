"""Rows that commits write: each module sends the statements that write its table, and no other module does."""

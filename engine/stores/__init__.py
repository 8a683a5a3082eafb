"""The three stores and the statements that are sent to them."""

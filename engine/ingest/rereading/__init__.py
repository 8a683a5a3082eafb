"""Stored records read again: what no model has read yet, and replays of a whole user. Open `again.py` first."""

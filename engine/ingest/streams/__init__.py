"""Conversations that come turn by turn. Open `streaming.py` first."""

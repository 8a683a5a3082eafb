"""Names in texts. Open `names.py` first."""

"""Which entity a name belongs to. Open `resolution.py` first."""

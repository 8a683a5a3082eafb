"""Which entity a name belongs to. Open `resolving.py` first."""

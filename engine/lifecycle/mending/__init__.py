"""Restores in one store what another store still has. Open `mend.py` first."""

"""Bringing back in one store what another still knows. Open `mend.py` first."""

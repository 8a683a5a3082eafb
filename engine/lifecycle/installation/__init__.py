"""Whether the three stores belong together and are of one age. Open `installation.py` first."""

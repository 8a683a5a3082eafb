"""Relations drawn from texts. Open `relating.py` first."""

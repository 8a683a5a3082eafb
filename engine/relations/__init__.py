"""Relations: drawn from texts by rules (`rules.py` first), and decided by the user (`decisions.py`)."""

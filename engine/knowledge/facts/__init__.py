"""What a new fact does to known ones. Open `verdicts.py` first."""

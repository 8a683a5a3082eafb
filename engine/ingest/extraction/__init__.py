"""What a language model reads out of records, and what of it is kept. Open `extract.py` first."""

"""The write path. Open `pipeline.py` first; its neighbours are its steps."""

"""The next version of a document, part by part. Open `revising.py` first."""

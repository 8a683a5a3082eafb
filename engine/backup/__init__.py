"""Backup and restore of the embedded stores, all three as one. Open `backup.py` first."""

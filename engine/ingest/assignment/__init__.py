"""Where content goes: the step `assign` of the write path. Open `placing.py` first."""

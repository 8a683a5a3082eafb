"""Facts: what a new one does to known ones (`verdicts.py`, `chains.py`), the writes (`new_facts.py`, `decisions.py`,
`retraction.py`) and the reads (`reads.py`, `about.py`, `profiles.py`)."""

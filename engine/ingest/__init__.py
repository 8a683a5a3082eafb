"""The write path. Open `pipeline.py` first; its neighbours are its steps.

Steps that need several modules are folders: `assignment` (where content goes), `extraction` (what a model reads out of it),
`streams` (conversations turn by turn), `rereading` (of what is stored).
"""

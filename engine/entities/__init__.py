"""Entities of the graph: to which one a name belongs, what is known of them, what the user decides of them. Open `resolution`
for the rules, `reads.py` for the reads."""

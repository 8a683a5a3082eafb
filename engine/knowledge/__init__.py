"""What records speak of: names in their texts, the entities that they belong to, relations between these. Open
`entity_finder.py` first."""

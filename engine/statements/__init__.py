"""What a statement says of its subject, by rules whose words are data of each language. Open `statement.py` first."""

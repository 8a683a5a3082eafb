"""The read path: from a question to ranked items, without a language model. Start at pipeline.py."""

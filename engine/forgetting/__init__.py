"""Forgetting: where personal data lies, and what is to become of it when something is forgotten."""

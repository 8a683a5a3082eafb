"""Frozen values and pure rules; imports nothing of the engine but the errors."""

"""Grants, tokens, integrations, and kept answers of repeated requests."""

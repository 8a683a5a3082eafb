"""Evaluations of the engine's public search on labelled questions. Data files are read by path, never shipped."""

"""Measures the engine by its own public search on labelled questions. Data files are read by path, never shipped."""

"""What a caller can do with a memory, one module a subject; each door is an adapter of these."""

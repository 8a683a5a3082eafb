"""The operations of a memory, one module a subject; REST, shell and Python are adapters of these."""

"""Context for a model: gathered, put together within a number of tokens, written as text; and answers from it."""

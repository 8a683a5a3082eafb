"""Archives: everything that is kept of a user in one file, readable without the engine, and a user made of one again."""

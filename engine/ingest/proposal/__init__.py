"""A hierarchy for what a person said: people, then matters, proposed and shown before anything is made."""

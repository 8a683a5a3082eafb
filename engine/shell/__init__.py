"""The shell command: one module per group of commands, `session` for what they share, `answers` for how answers look."""

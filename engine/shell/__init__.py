"""The shell: one module per group of commands; `session` has their shared code, `answers` prints search results."""

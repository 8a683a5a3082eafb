"""The commands bench, eval and audit."""

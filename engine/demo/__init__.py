"""The bundled history and the questions that show what a memory can do with it."""

"""What measures the engine: benchmarks, evaluations, the leak audit, and their commands. Nothing of the engine imports it."""

"""Settings become stores, stores become the engine: the only place that puts parts together."""

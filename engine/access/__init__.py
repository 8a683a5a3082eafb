"""Who asks, and which of their requests was made before."""

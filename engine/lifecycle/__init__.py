"""Files after they were stored: opening, sweeping, and the comparison of the stores."""

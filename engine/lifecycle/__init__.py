"""The life of files after they were stored: opening, sweeping, and the comparison of the stores."""

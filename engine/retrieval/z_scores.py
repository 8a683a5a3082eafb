"""Values as distances from their mean, in spreads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def z_scores(values: Values) -> Values:
    """Zeros where all values are alike."""
    deviation = float(values.std())
    scores: Values = (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)
    return scores

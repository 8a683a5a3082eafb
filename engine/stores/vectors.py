"""Vectors as the tables hold them: single precision up to 1,000 dimensions, half precision above."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, Vector

SINGLE_PRECISION_LIMIT = 1000


def stored(vector: NDArray[np.float32]) -> Vector | HalfVector:
    """The value to send for a column of the active embedding version."""
    return HalfVector(vector) if len(vector) > SINGLE_PRECISION_LIMIT else Vector(vector)

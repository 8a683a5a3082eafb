"""A table of figures, as evaluations give it: for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Figure = float | int | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Rows of figures by name, under named columns. Fractions are floats; None: nothing to measure."""

    name: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]


def ratio(part: float, whole: float) -> float | None:
    """A fraction, to four places; None of nothing."""
    return round(part / whole, 4) if whole else None


def f1(precision: float | None, recall: float | None) -> float | None:
    """The harmonic mean of both."""
    if precision is None or recall is None:
        return None
    return round(2 * precision * recall / (precision + recall), 4) if precision + recall else 0.0


def scores(right: int, found: int, hit: int, wanted: int) -> tuple[Figure, ...]:
    """Precision (`right` of `found`), recall (`hit` of `wanted`) and F1."""
    precision, recall = ratio(right, found), ratio(hit, wanted)
    return precision, recall, f1(precision, recall)


def overlap(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a span shares a character with one of the others."""
    return any(start < other_end and other_start < end for other_start, other_end in spans)

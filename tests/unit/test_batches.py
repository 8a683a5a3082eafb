"""How large the batches of an ingest are. Pure."""

from __future__ import annotations

import pytest

from engine.ingest.fresh import IngestLimits


def sizes(batch_turns: int, sources: int) -> list[int]:
    """Of the batches of so many sources with one turn of one character."""
    limits, found, taken = IngestLimits(batch_turns, 1 << 20), [], 0
    for left in reversed(range(sources)):
        taken += 1
        if limits.enough(taken, taken, left):
            found.append(taken)
            taken = 0
    return [*found, taken] if taken else found


@pytest.mark.parametrize(
    ("batch_turns", "sources", "found"),
    [
        (256, 1000, [256, 256, 244, 122, 96, 26]),
        (256, 100, [96, 4]),
        (256, 20, [20]),
        (8, 20, [8, 8, 4]),
        (1, 3, [1, 1, 1]),
    ],
)
def test_the_last_batches_get_smaller_and_none_is_larger_than_asked_for(
    batch_turns: int, sources: int, found: list[int]
) -> None:
    assert sizes(batch_turns, sources) == found

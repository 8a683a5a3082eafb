"""How long to wait before the next attempt."""

from __future__ import annotations


def pause_before(attempt: int, *, first: float, longest: float, chance: float, least: float = 0) -> float:
    """Seconds before an attempt (2 is the first retry): doubled each time, with jitter between half and all of it by
    `chance` (0 to 1), never less than `least`: what the other side asked for."""
    return max(least, min(longest, first * 2.0 ** min(attempt - 2, 30)) * (0.5 + chance / 2))

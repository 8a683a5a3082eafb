"""Stored texts as lines of a prompt: no stored text can look like a line of its own.

[3] Bob: My sister Ellen moved
  [4] Nadia: I owe nobody.          (the second line of what Bob said)
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from engine.domain.visible import visible


def inline(text: str) -> str:
    """A stored name on one line."""
    return " ".join(visible(text).split())


def indented(text: str) -> str:
    """A stored text whose lines after the first are indented; without empty lines."""
    lines = [kept for line in text.splitlines() if (kept := visible(line).strip())]
    return "\n  ".join(lines)


def numbered(number: int, text: str, before: str = "") -> str:
    """An entry of a prompt: its number at the left edge, what stands before the text, and the text with its further lines
    indented."""
    return f"[{number}] {before}{indented(text)}"


class Days:
    """The lines that say on which day entries were said: one where the day changes, as (Monday, 2024-01-01)."""

    def __init__(self) -> None:
        self._told = ""

    def before(self, said_at: datetime | None) -> Iterator[str]:
        """The line before an entry, or none. An entry without a time is no change."""
        day = said_at.strftime("(%A, %Y-%m-%d)") if said_at else ""
        if day and day != self._told:
            self._told = day
            yield day

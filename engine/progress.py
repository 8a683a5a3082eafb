"""Progress of long work. The shell draws bars, REST sends events, tests ignore it."""

from __future__ import annotations

from typing import Protocol


def counted(number: int, unit: str, units: str = "") -> str:
    """A number with its unit, in the singular for 1."""
    return f"{number:,} {unit if number == 1 else units or unit + 's'}"


class Progress(Protocol):
    """Receives progress of named tasks; totals and amounts are in the task's own unit."""

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        """A task begins; `total` is None where it is unknown."""

    def advance(self, task: str, amount: float = 1) -> None:
        """`amount` more units are done."""

    def finish(self, task: str, note: str = "") -> None:
        """The task has ended."""


class Silent:
    """Ignores progress."""

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        """Ignored."""

    def advance(self, task: str, amount: float = 1) -> None:
        """Ignored."""

    def finish(self, task: str, note: str = "") -> None:
        """Ignored."""

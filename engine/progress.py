"""How long work tells how far it is. The shell draws bars, the REST door sends events, tests stay silent."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives progress of named tasks; totals and amounts are in the task's own unit."""

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        """A task begins; `total` is None where nobody knows it."""

    def advance(self, task: str, amount: float = 1) -> None:
        """`amount` more units are done."""

    def finish(self, task: str, note: str = "") -> None:
        """The task has ended."""


class Silent:
    """Progress that nobody watches."""

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        """Ignored."""

    def advance(self, task: str, amount: float = 1) -> None:
        """Ignored."""

    def finish(self, task: str, note: str = "") -> None:
        """Ignored."""

"""Two clocks: when something was true, and when the engine knew it. Every read names a point on both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the present; tests move their own."""

    def now(self) -> datetime:
        """The present, aware, in UTC."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The present, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on both clocks. `as_of`: when it was true; `known_at`: when the engine knew it; None is the present."""

    as_of: datetime | None = None
    known_at: datetime | None = None

    def parameters(self, now: datetime) -> dict[str, datetime | None]:
        """What statements take. The present of `as_of` is that of the engine's clock, so that a writer reads its own changes
        whatever the clock of a database says; `known_at` None is all that is known now.
        """
        return {"as_of": self.as_of or now, "known_at": self.known_at}


NOW = Moment()

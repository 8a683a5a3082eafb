"""Two clocks: when something was true, and when the engine knew it. Every read names a point on both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from engine.errors import InvalidInput

END_OF_TIME = datetime(9999, 12, 31, tzinfo=UTC)


def check_time(time: datetime | None, what: str) -> None:
    """Raises InvalidInput for a time that Postgres would give back as one of year 0 or 10000, which no driver can read."""
    try:
        if time is not None and time.tzinfo is not None:
            time.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{what} lies outside of the years 1 to 9999.") from error


class Clock(Protocol):
    """Returns the current time; tests move their own."""

    def now(self) -> datetime:
        """The current time, with time zone, in UTC."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point on both clocks. `as_of`: when it was true; `known_at`: when the engine knew it; None is the present."""

    as_of: datetime | None = None
    known_at: datetime | None = None

    def __post_init__(self) -> None:
        check_time(self.as_of, "as_of")
        check_time(self.known_at, "known_at")

    def parameters(self, now: datetime) -> dict[str, datetime | None]:
        """Statement parameters. `as_of` None is the time of the engine's clock, so that a writer reads its own changes
        whatever the clock of a database says; `known_at` None is all that is known now. `earliest` is the earlier
        of those that are given, else the end of time."""
        return {"as_of": self.as_of or now, "known_at": self.known_at, "earliest": self.earliest or END_OF_TIME}

    def graph_parameters(self, now: datetime) -> dict[str, datetime]:
        """The same for statements of the graph, which plans again for each combination of types: none is ever null, and
        `known_at` None becomes the end of time."""
        earliest = self.earliest or END_OF_TIME
        return {"as_of": self.as_of or now, "known_at": self.known_at or END_OF_TIME, "earliest": earliest}

    @property
    def earliest(self) -> datetime | None:
        """The earlier of the given times: a principal without a right to the past before it sees nothing."""
        return min((time for time in (self.as_of, self.known_at) if time is not None), default=None)


NOW = Moment()

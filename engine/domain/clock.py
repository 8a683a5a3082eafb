"""Two clocks: when something was true, and when the engine knew it. Every read names a point on both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from engine.errors import InvalidInput

END_OF_TIME = datetime(9999, 12, 31, tzinfo=UTC)
WIDEST_OFFSET = timedelta(hours=15, minutes=59)
"""From UTC; Postgres takes no wider one, Neo4j none over 18 hours."""


def check_time(time: datetime | None, what: str) -> None:
    """Raises InvalidInput for a time that Postgres would give back as one of year 0 or 10000, which no driver can read, and for
    one with an offset that a store refuses."""
    if problem := time_problem(time):
        raise InvalidInput(f"{what} {problem}.")


def time_problem(time: datetime | None) -> str:
    """Why a store cannot hold a time; empty where it can."""
    if time is None or time.tzinfo is None:
        return ""
    if abs(time.utcoffset() or timedelta()) > WIDEST_OFFSET:
        return "has an offset of more than 15:59 hours from UTC"
    try:
        time.astimezone(UTC)
    except OverflowError:
        return "lies outside of the years 1 to 9999"
    return ""


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

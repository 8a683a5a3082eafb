"""Something that happened from one time to another and is remembered as a whole: a meeting, a call, a session, a milestone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from engine.domain.names import is_blank
from engine.errors import InvalidInput

OccasionKind = Literal["meeting", "call", "work_session", "milestone", "other"]

MOST_PARTICIPANTS = 200
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Occasion:
    """What happened. Times are aware; a milestone has only one. Raises InvalidInput."""

    kind: OccasionKind
    title: str
    text: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    participants: tuple[str, ...] = ()
    source_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(OccasionKind):
            raise InvalidInput(f"An occasion is one of {', '.join(get_args(OccasionKind))}.")
        if is_blank(self.text):
            raise InvalidInput("There is no text to store.")
        if self.title and is_blank(self.title):
            raise InvalidInput("The title is empty. Without a title, the kind is shown.")
        times = [time for time in (self.started_at, self.ended_at) if time is not None]
        if any(time.tzinfo is None for time in times):
            raise InvalidInput("The times of an occasion need an offset from UTC.")
        if times != sorted(times):
            raise InvalidInput("An occasion does not end before it begins.")
        if len(self.participants) > MOST_PARTICIPANTS:
            raise InvalidInput(f"An occasion has at most {MOST_PARTICIPANTS} participants.")
        if not all(1 <= len(name.strip()) <= LONGEST_NAME for name in self.participants):
            raise InvalidInput(f"A participant's name has 1 to {LONGEST_NAME} characters.")

    @property
    def name(self) -> str:
        """The title; without one, the kind."""
        return self.title or self.kind.replace("_", " ").capitalize()

    @property
    def headline(self) -> str:
        """One line that says what it was, when, and who was there."""
        parts = [self.kind.replace("_", " ").capitalize()]
        if self.started_at and self.ended_at and self.started_at != self.ended_at:
            parts.append(f"from {_time(self.started_at)} to {_time(self.ended_at)}")
        elif moment := self.started_at or self.ended_at:
            parts.append(f"at {_time(moment)}")
        if self.participants:
            parts.append(f"with {', '.join(name.strip() for name in self.participants)}")
        return " ".join(parts) + "."


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()

"""What happened: events, or what was felt, written once, never changed; and occasions: something from one time to another that is
remembered as a whole, a meeting, a call, a session, a milestone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from engine.domain.clock import check_time
from engine.domain.names import is_blank
from engine.errors import InvalidInput

LONGEST_KIND, LONGEST_CONTENT, LONGEST_EMOTION = 100, 20_000, 100

OccasionKind = Literal["meeting", "call", "work_session", "milestone", "other"]

MOST_PARTICIPANTS = 200
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to write. `intensity` (of the emotion) and `energy` go from 0 to 1, `occurred_at` None is now, `node_id` is
    what it is about. Raises InvalidInput."""

    kind: str
    content: str = ""
    emotion: str | None = None
    intensity: float | None = None
    energy: float | None = None
    occurred_at: datetime | None = None
    node_id: UUID | None = None

    def __post_init__(self) -> None:
        _check_text("kind", self.kind, LONGEST_KIND, least=1)
        _check_text("content", self.content, LONGEST_CONTENT)
        if self.emotion is not None:
            _check_text("emotion", self.emotion, LONGEST_EMOTION, least=1)
        if self.intensity is not None and self.emotion is None:
            raise InvalidInput("An intensity needs an emotion.")
        for name, value in (("intensity", self.intensity), ("energy", self.energy)):
            if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
                raise InvalidInput(f"The {name} is a number from 0 to 1.")
        if self.occurred_at is not None and self.occurred_at.tzinfo is None:
            raise InvalidInput("A point in time needs its offset from UTC.")
        check_time(self.occurred_at, "The time of an event")

    def worded(self, kind: str, content: str, emotion: str | None) -> NewEvent:
        """The same event in other words."""
        felt = emotion and emotion[:LONGEST_EMOTION]
        return replace(self, kind=kind[:LONGEST_KIND], content=content[:LONGEST_CONTENT], emotion=felt)


@dataclass(frozen=True, slots=True)
class Event:
    """A written event: when it happened, when it was written, by whom."""

    event_id: UUID
    node_id: UUID | None
    kind: str
    content: str
    emotion: str | None
    intensity: float | None
    energy: float | None
    occurred_at: datetime
    recorded_at: datetime
    authored_by: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter of events: of a kind, about a node, from `start` on, before `end`, known by `known_at`."""

    kind: str | None = None
    node_id: UUID | None = None
    start: datetime | None = None
    end: datetime | None = None
    known_at: datetime | None = None


def _check_text(name: str, text: str, most: int, least: int = 0) -> None:
    if not least <= len(text.strip()) or len(text) > most:
        raise InvalidInput(f"The {name} has {least} to {most:,} characters.")
    if "\x00" in text:
        raise InvalidInput(f"The {name} holds a NUL character.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"The {name} is not valid Unicode.") from error


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

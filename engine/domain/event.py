"""Events: what happened, or was felt. Written once, never changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from engine.domain.clock import check_time
from engine.errors import InvalidInput

LONGEST_KIND, LONGEST_CONTENT, LONGEST_EMOTION = 100, 20_000, 100


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

"""Something that happened from one time to another and is remembered as a whole: a meeting, a call, a session, a milestone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from engine.domain.record import FileDraft
from engine.errors import InvalidInput
from engine.ingest.documents import note
from engine.ingest.drafts import Document

EventKind = Literal["meeting", "call", "work_session", "milestone", "other"]

MOST_PARTICIPANTS = 200
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Event:
    """What happened. Times are aware; a milestone has only one. Raises InvalidInput."""

    kind: EventKind
    title: str
    text: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    participants: tuple[str, ...] = ()
    source_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(EventKind):
            raise InvalidInput(f"An event is one of {', '.join(get_args(EventKind))}.")
        if not self.text.strip():
            raise InvalidInput("There is no text to store.")
        times = [time for time in (self.started_at, self.ended_at) if time is not None]
        if any(time.tzinfo is None for time in times):
            raise InvalidInput("The times of an event need an offset from UTC.")
        if times != sorted(times):
            raise InvalidInput("An event does not end before it begins.")
        if len(self.participants) > MOST_PARTICIPANTS:
            raise InvalidInput(f"An event has at most {MOST_PARTICIPANTS} participants.")
        if not all(1 <= len(name.strip()) <= LONGEST_NAME for name in self.participants):
            raise InvalidInput(f"A participant's name has 1 to {LONGEST_NAME} characters.")


def event_document(event: Event) -> Document:
    """The event as one text: a line that says what it was, when, and with whom, then what happened."""
    title = event.title or event.kind.replace("_", " ").capitalize()
    made = note(event.source_id, title, f"{_headline(event)}\n\n{event.text}", "event")
    file: FileDraft = replace(made.file, name=f"{event.kind}.txt")
    return replace(made, occurred_at=event.started_at or event.ended_at, file=file)


def _headline(event: Event) -> str:
    parts = [event.kind.replace("_", " ").capitalize()]
    if event.started_at and event.ended_at and event.started_at != event.ended_at:
        parts.append(f"from {_time(event.started_at)} to {_time(event.ended_at)}")
    elif moment := event.started_at or event.ended_at:
        parts.append(f"at {_time(moment)}")
    if event.participants:
        parts.append(f"with {', '.join(name.strip() for name in event.participants)}")
    return " ".join(parts) + "."


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()

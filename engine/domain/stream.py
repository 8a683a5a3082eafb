"""A streamed conversation: what a client appends, and how the conversation stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from engine.domain.cuts import Role
from engine.domain.report import StoredRecord
from engine.domain.scope import INGESTED, Origin, Privacy
from engine.errors import InvalidInput

StreamStatus = Literal["open", "ending", "ended"]
"""`ending`: what waits is being stored; `ended`: all is stored, and another turn opens it again."""

LONGEST_ID = 400
LONGEST_REF = 500
LONGEST_TITLE = 2000
MOST_APPENDED = 10_000
"""Turns of one append."""
LAST_NUMBER = 2**31 - 1 - MOST_APPENDED


@dataclass(frozen=True, slots=True)
class StreamedTurn:
    """One utterance. `ref` is the client's own id of it; `role` says whether its speaker asks or answers."""

    speaker: str
    text: str
    at: datetime | None = None
    ref: str | None = None
    role: Role | None = None

    def __post_init__(self) -> None:
        if self.role is not None and self.role not in get_args(Role):
            raise InvalidInput("The role of a turn is user or assistant.")
        if self.ref is not None and not 1 <= len(self.ref) <= LONGEST_REF:
            raise InvalidInput(f"The id of a turn has 1 to {LONGEST_REF} characters.")
        if self.at is not None and self.at.tzinfo is None:
            raise InvalidInput("The time of a turn needs an offset from UTC.")


@dataclass(frozen=True, slots=True)
class Append:
    """Turns for the end of a conversation. `first` is the number of the first one, counted from 0.

    `title`, `started_at`, `node_id`, `privacy`, `origin` belong to the conversation and count when it is opened; later
    appends may leave them out. Raises InvalidInput.
    """

    conversation_id: str
    turns: tuple[StreamedTurn, ...]
    first: int | None = None
    title: str = ""
    started_at: datetime | None = None
    node_id: UUID | None = None
    privacy: Privacy | None = None
    origin: Origin = INGESTED

    def __post_init__(self) -> None:
        if not 1 <= len(self.conversation_id) <= LONGEST_ID:
            raise InvalidInput(f"The id of a conversation has 1 to {LONGEST_ID} characters.")
        if not 1 <= len(self.turns) <= MOST_APPENDED:
            raise InvalidInput(f"1 to {MOST_APPENDED} turns are appended at once.")
        if self.first is not None and not 0 <= self.first <= LAST_NUMBER:
            raise InvalidInput(f"Turns are numbered from 0 to {LAST_NUMBER}.")
        if len(self.title) > LONGEST_TITLE:
            raise InvalidInput(f"A title has at most {LONGEST_TITLE} characters.")


@dataclass(frozen=True, slots=True)
class Appended:
    """An append that is durable: turns that were `added`, those that were `repeated` and changed nothing, and how the
    conversation stands. `turns` is also the number of the next turn. `redacted` counts what was replaced."""

    conversation_id: str
    state: StreamStatus
    added: int
    repeated: int
    turns: int
    stored: int
    waiting: int
    tokens: int
    waiting_tokens: int
    redacted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StreamState:
    """How a conversation stands: turns and tokens in all, turns that are stored and that wait, turns that were larger than
    the hard threshold and were stored whole. `failure` says why it could not be stored; it is tried again."""

    conversation_id: str
    title: str
    state: StreamStatus
    turns: int
    stored: int
    waiting: int
    tokens: int
    waiting_tokens: int
    oversized: int
    begun_at: datetime
    last_at: datetime
    ended_at: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class EndedStream:
    """What the end of a conversation stored, and how the conversation stands."""

    conversation: StreamState
    turns: int
    records: tuple[StoredRecord, ...]

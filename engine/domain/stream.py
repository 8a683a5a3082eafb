"""A streamed conversation: what a client appends, how the conversation stands, and where it is cut, by pure rules over the turns
that wait.

A *response* is one turn of the role `assistant`; where turns have no roles, a turn of any speaker but that of the
first waiting turn. A response is never split, because no turn is. An *exchange* ends with the last response before the
next question.

    below watch_from      nothing is cut
    watch_from to soft    at the end of an exchange, once the next turn shows that it is one
    soft to hard          at the end of the first response
    hard                  before the turn that would go beyond it: at the last response that ended, else between two turns

A single turn larger than `hard` is stored whole, together with what was asked since the last response, and counted as
oversized. Only turns up to the cut and the one behind it are read; so where a conversation is cut does not
depend on how its turns arrived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from engine.domain.report import StoredRecord
from engine.domain.scope import INGESTED, Origin, Privacy
from engine.errors import InvalidInput, SettingsError

Role = Literal["user", "assistant"]

MOST_TURNS = 50_000
"""Most turns of one piece, however short: it is read and committed as a whole."""

StreamStatus = Literal["open", "ending", "ended"]
"""`ending`: what waits is being stored; `ended`: all is stored, and another turn opens it again."""

LONGEST_ID = 400
LONGEST_REF = 500
LONGEST_TITLE = 2000
MOST_APPENDED = 10_000
"""Turns of one append."""
LAST_NUMBER = 2**31 - 1 - MOST_APPENDED


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Tokens, and turns, that may wait. Raises SettingsError for a wrong order."""

    watch_from: int = 480_000
    soft: int = 500_000
    hard: int = 620_000
    most_turns: int = MOST_TURNS

    def __post_init__(self) -> None:
        if not 0 < self.watch_from <= self.soft <= self.hard:
            raise SettingsError(
                "A streamed conversation is watched from NEURIGRAPH_STREAM_WATCH_FROM, cut from _SOFT and never later than _HARD"
                " tokens: each is as large as the one before it, or larger."
            )


@dataclass(frozen=True, slots=True)
class WeighedTurn:
    """What the rules look at of a turn."""

    tokens: int
    speaker: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece: so many turns from the first that waits, with so many tokens."""

    turns: int
    tokens: int


def first_cut(turns: Sequence[WeighedTurn], at: Thresholds) -> Cut | None:
    """The first piece of the waiting turns that is due; None while none is."""
    total = 0
    answered: Cut | None = None
    for number, turn in enumerate(turns):
        so_far = Cut(number, total)
        if turn.tokens > at.hard:
            return answered or Cut(number + 1, total + turn.tokens)
        if total + turn.tokens > at.hard or number == at.most_turns:
            return answered or so_far
        answers = _answers(turn, turns[0])
        if total >= at.watch_from and answered == so_far and not answers:
            return so_far
        total += turn.tokens
        if answers:
            answered = Cut(number + 1, total)
            if total >= at.soft:
                return answered
    return None


def _answers(turn: WeighedTurn, first: WeighedTurn) -> bool:
    return turn.role == "assistant" or (turn.role is None and turn.speaker != first.speaker)


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
    appends may leave them out. `again`: also where the conversation was forgotten; `expires_at`: when what is stored of it from
    then on expires. Raises InvalidInput.
    """

    conversation_id: str
    turns: tuple[StreamedTurn, ...]
    first: int | None = None
    title: str = ""
    started_at: datetime | None = None
    node_id: UUID | None = None
    privacy: Privacy | None = None
    origin: Origin = INGESTED
    again: bool = False
    expires_at: datetime | None = None

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

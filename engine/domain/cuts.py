"""Where a streamed conversation is cut: pure rules over the turns that wait.

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import SettingsError

Role = Literal["user", "assistant"]

MOST_TURNS = 50_000
"""Most turns of one piece, however short: it is read and committed as a whole."""


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

"""Where the turns of a conversation stand in its transcript: kept beside it, so that the turns can be made from it again exactly
as they came. Their numbers, ids, speakers and times do not all stand in the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class LaidTurn:
    """One turn: its number in the conversation, its place in the transcript in characters. `asked`: whether the words before it
    ask something; None where none came before."""

    number: int
    ref: str | None
    speaker: str
    at: datetime | None
    start: int
    length: int
    asked: bool | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The turns of one record. `speakers` are all who spoke in what was stored together, also at other nodes."""

    started_at: datetime | None
    speakers: tuple[str, ...]
    turns: tuple[LaidTurn, ...]

    @property
    def compact(self) -> dict[str, Any]:
        """As it is kept: JSON, a short list for each turn."""
        number = {speaker: index for index, speaker in enumerate(self.speakers)}
        return {
            "started_at": _iso(self.started_at),
            "speakers": list(self.speakers),
            "turns": [
                [turn.number, turn.ref, number[turn.speaker], _iso(turn.at), turn.start, turn.length, turn.asked]
                for turn in self.turns
            ],
        }


def layout_of(compact: dict[str, Any]) -> Layout:
    """A layout from what is kept of it."""
    speakers = tuple(compact["speakers"])
    turns = (
        LaidTurn(number, ref, speakers[speaker], _moment(at), start, length, asked)
        for number, ref, speaker, at, start, length, asked in compact["turns"]
    )
    return Layout(_moment(compact["started_at"]), speakers, tuple(turns))


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None

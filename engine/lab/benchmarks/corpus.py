"""Texts for benchmarks: a history's conversations, repeated with other names and numbers until there are enough.

Deterministic: the same history and amount give the same texts. No turn of a copy is one of another copy, too: a text that is
embedded once for both would make an ingest look faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import engine
from engine.connectors import read_history
from engine.domain.history import Conversation, History, PlannedNode, Turn
from engine.errors import InvalidInput
from engine.progress import Progress

HISTORY = Path(engine.__file__).parent / "demo" / "history.json"
"""The bundled history, used when no other data are given."""

_NAME = re.compile(r"\b(?:Bob|Dave|Ellen|Iris|Katie|Luis|Marianne|Owen|Ruth|Signe|Walter)\b")
_NUMBER = re.compile(r"\d+")
_OTHERS = (
    "Agnes", "Bruno", "Clara", "Dmitri", "Esther", "Fabio", "Greta", "Hugo", "Ilse", "Jonah", "Kira", "Lorenz", "Mina",
    "Nils", "Olga", "Pablo", "Quinn", "Rosa", "Stellan", "Tilda", "Ursula", "Viktor", "Wanda", "Xavier", "Yara", "Zeno",
)  # fmt: skip


async def base_history(data: Path | None, max_text_bytes: int, progress: Progress) -> History:
    """The bundled history, or all histories of a file as one. Raises InvalidInput."""
    histories = await read_history(data or HISTORY, handle=None, max_text_bytes=max_text_bytes, progress=progress)
    conversations = tuple(
        replace(conversation, source_id=f"{number}-{conversation.source_id}", node=None)
        for number, history in enumerate(histories)
        for conversation in history.conversations
    )
    if not any(conversation.turns for conversation in conversations):
        raise InvalidInput("There are no conversations to measure with.")
    return History("bench", "Bench", conversations, nodes=histories[0].nodes)


def repeated(base: Sequence[Conversation], turns: int, *, first_copy: int = 0) -> tuple[Conversation, ...]:
    """Conversations with exactly so many turns in all, the last one cut; copies are numbered from `first_copy`."""
    found: list[Conversation] = []
    left = turns
    for copy in count(first_copy):
        for conversation in base:
            kept = tuple(_varied(turn, copy) for turn in islice(conversation.turns, left))
            found.append(replace(conversation, source_id=f"{copy}-{conversation.source_id}", turns=kept))
            left -= len(kept)
            if not left:
                return tuple(found)
    raise AssertionError("an endless count has ended")


def more_nodes(nodes: Sequence[PlannedNode], amount: int) -> tuple[PlannedNode, ...]:
    """So many planned nodes: the existing ones, and others on layer 1 with made-up names."""
    return tuple(islice(_endless(nodes), amount))


def _endless(nodes: Sequence[PlannedNode]) -> Iterator[PlannedNode]:
    yield from nodes
    for number in count():
        name = f"{_OTHERS[number % len(_OTHERS)]} {number // len(_OTHERS) + 1}"
        yield PlannedNode((name,), summary=f"What {name} does and says.", keywords=(name.lower(),))


def _varied(turn: Turn, copy: int) -> Turn:
    if not copy:
        return turn
    text = _NUMBER.sub(lambda match: str(int(match[0][:9]) + copy), turn.text)
    text = _NAME.sub(lambda match: _other(match[0], copy), text)
    return replace(turn, text=text if text != turn.text else f"{text} ({copy})")


def _other(name: str, copy: int) -> str:
    return _OTHERS[(sum(name.encode()) + 7 * copy) % len(_OTHERS)]

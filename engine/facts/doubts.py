"""Marks of facts in doubt: the newer of a pair stands before the older, which says by what it may have been replaced; of two that
contradict each other both say so. Only pairs of which the reader may read both facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.fact import DoubtKind, DoubtMark
from engine.domain.principal import Principal
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

One = TypeVar("One")
LONGEST = 160
"""Characters of the other fact that a mark shows."""


@dataclass(frozen=True, slots=True)
class DoubtShown:
    """Two live facts in doubt, with their texts."""

    newer: UUID
    older: UUID
    kind: DoubtKind
    newer_text: str
    older_text: str


async def doubts_among(
    postgres: Postgres, principal: Principal, moment: Moment, facts: Iterable[UUID]
) -> Sequence[DoubtShown]:
    """The pairs in doubt of these facts; none at a moment of the past."""
    asked = list(facts)
    if moment != NOW or not asked:
        return ()
    return await postgres.fetch(principal, sql_text("fact/in_doubt"), {"facts": asked}, row=DoubtShown)


def marks_of(doubts: Iterable[DoubtShown]) -> Mapping[UUID, DoubtMark]:
    """The mark of each fact that has one, by its id."""
    marks: dict[UUID, DoubtMark] = {}
    for one in doubts:
        marks.setdefault(one.older, DoubtMark(one.kind, one.newer, _short(one.newer_text)))
        if one.kind == "contradicts":
            marks.setdefault(one.newer, DoubtMark(one.kind, one.older, _short(one.older_text)))
    return marks


def newer_first(found: Sequence[One], doubts: Iterable[DoubtShown], key: Callable[[One], UUID | None]) -> list[One]:
    """The same, with the newer fact of each pair before the older one, at the place of the first of both."""
    line = list(found)
    for one in doubts:
        places: dict[UUID | None, int] = {key(each): place for place, each in enumerate(line)}
        newer, older = places.get(one.newer), places.get(one.older)
        if newer is not None and older is not None and older < newer:
            line.insert(older, line.pop(newer))
    return line


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"

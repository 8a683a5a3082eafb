"""Where turns stand: ids follow from places, so what stands beside a hit is found without another read, and the parts of a long
turn are put in order."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid5

from engine.domain.context import ContextItem
from engine.domain.search import Hit

PARTS = 4
"""Parts of a long turn that are looked for."""


def beside(hit: Hit) -> Iterator[UUID]:
    """The ids of the turns before and after a hit, where it is a turn: ids follow from the places."""
    if hit.kind == "turn":
        for position in (hit.position - 1, hit.position + 1):
            yield from _parts(hit.session, position) if position >= 0 else ()


def _parts(session: UUID, position: int) -> list[UUID]:
    return [uuid5(session, f"{position}:{part}") for part in range(PARTS)]


def place_of(one: Hit | ContextItem) -> tuple[int, int, int]:
    """Where it stands in its conversation or document: parts of a long turn in order, a derived text behind its turn."""
    if one.kind != "turn":
        return one.position, int(one.kind in ("observation", "summary")), 0
    parts = _parts(one.session, one.position)
    return one.position, 0, parts.index(one.item_id) if one.item_id in parts else PARTS

"""The words of records that state a relation: the sentence in which an item says it, of what the principal may read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.entity import Evidence, Why
from engine.domain.principal import Principal
from engine.errors import StoreDamaged
from engine.retrieval.candidate import Contents
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LONGEST = 300
"""Characters of a quote; a longer sentence is cut around the place."""
_END = re.compile(r"[.!?。！？]+[\"”’)\]]*\s+|\n+")


class Quotes:
    """Reads items that are named by the evidence of relations."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def quoted(self, principal: Principal, why: Why) -> Why:
        """The same evidence, of now, with its words. Without them stays what may not be read, and what a damaged node holds."""
        places = [(one.node_id, one.item_id) for one in why.evidence if one.item_id is not None and one.span]
        texts: dict[tuple[UUID, UUID], str] = {}
        with suppress(StoreDamaged):
            texts = await self._texts(principal, places)
        return replace(why, evidence=tuple(_with_words(one, texts) for one in why.evidence))

    async def _texts(self, principal: Principal, places: Sequence[tuple[UUID, UUID]]) -> dict[tuple[UUID, UUID], str]:
        if not places:
            return {}
        asked = {
            "nodes": [node for node, _ in places],
            "items": [item for _, item in places],
            "as_of": None,
            "known_at": None,
            "now": self._clock.now(),
        }
        rows = await self._postgres.fetch(principal, sql_text("search/contents"), asked, row=Contents)
        return {(one.node_id, one.row_id): one.content for one in rows}


def _with_words(one: Evidence, texts: dict[tuple[UUID, UUID], str]) -> Evidence:
    text = texts.get((one.node_id, one.item_id)) if one.item_id else None
    if text is None or not one.span:
        return one
    start, end = map(int, one.span.split("-"))
    return replace(one, text=sentence(text, start, end))


def sentence(text: str, start: int, end: int) -> str:
    """The sentences around a place, at most 300 characters; `…` where they are cut."""
    # what is further away is cut off anyway, and a long row of dots takes the pattern minutes
    begin = max((match.end() for match in _END.finditer(text, max(0, start - LONGEST), start)), default=0)
    after = _END.search(text, max(start, end - 1), end + LONGEST)
    stop = after.end() if after else len(text)
    spare = max(0, LONGEST - (end - start)) // 2
    first, last = max(begin, start - spare), min(stop, max(start, min(end, start + LONGEST)) + spare)
    cut = "…" if first > begin else "", "…" if last < stop else ""
    return f"{cut[0]}{' '.join(text[first:last].split())}{cut[1]}"

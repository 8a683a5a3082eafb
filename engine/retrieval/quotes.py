"""The words of records that state a relation: the sentence in which an item says it, of what the principal may read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.entity import Why
from engine.domain.principal import Principal
from engine.hierarchy.tables import Damage
from engine.retrieval.candidate import Contents
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LONGEST = 300
"""Characters of a quote; a longer sentence is cut around the place."""
_END = re.compile(r"(?<![.!?。！？])[.!?。！？]+[\"”’)\]]*\s+|\n+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item says it: `start-end`, characters. Without an item or a place nothing can be quoted."""

    node_id: UUID
    item_id: UUID | None
    span: str | None


class Quotes:
    """Reads items that are named by the evidence of relations."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock, self._damage = postgres, clock, Damage(postgres)

    async def quoted(self, principal: Principal, why: Why) -> Why:
        """The same evidence, of now, with its words. Without them stays what may not be read, and what a damaged node holds."""
        places = [Place(one.node_id, one.item_id, one.span) for one in why.evidence]
        texts = await self.of(principal, places)
        evidence = (replace(one, text=texts.get(place)) for one, place in zip(why.evidence, places, strict=True))
        return replace(why, evidence=tuple(evidence))

    async def of(self, principal: Principal, places: Sequence[Place]) -> dict[Place, str]:
        """The sentences at these places, of now; without those that may not be read, and those of damaged nodes."""
        known = [(one, one.item_id, one.span) for one in places if one.item_id is not None and one.span]

        async def read(nodes: list[UUID]) -> list[Contents]:
            asked = {
                "nodes": [one.node_id for one, _, _ in known if one.node_id in nodes],
                "items": [item for one, item, _ in known if one.node_id in nodes],
                "as_of": None,
                "known_at": None,
                "now": self._clock.now(),
            }
            return await self._postgres.fetch(principal, sql_text("search/contents"), asked, row=Contents)

        rows = await self._damage.without(principal, (one.node_id for one, _, _ in known), read)
        texts = {(one.node_id, one.row_id): one.content for one in rows}
        return {
            one: sentence(texts[one.node_id, item], *map(int, span.split("-")))
            for one, item, span in known
            if (one.node_id, item) in texts
        }


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

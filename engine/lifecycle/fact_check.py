"""Facts beside the graph: those that it lacks or has otherwise than they are, and those that it has and there are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from uuid import UUID

from engine.domain.fact import FactStatus
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 1000


@dataclass(frozen=True, slots=True)
class _Row:
    fact_id: UUID
    user_id: UUID
    revision: int
    status: FactStatus
    supersedes: UUID | None
    confirms: UUID | None


@dataclass(frozen=True, slots=True)
class _InGraph:
    fact_id: UUID
    user_id: UUID


class FactCheck:
    """Compares facts in both stores; for the operator. What a job still has to carry into the graph is none of its matters."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def otherwise(self) -> dict[UUID, list[UUID]]:
        """By user the facts that the graph lacks, or has otherwise. Raises StoreUnavailable."""
        found: dict[UUID, list[UUID]] = defaultdict(list)
        after = UUID(int=0)
        while page := await self._page(after):
            for one in await self._compared(page, after):
                found[one.user_id].append(one.fact_id)
            after = page[-1].fact_id
        return found

    async def surplus(self) -> dict[UUID, list[UUID]]:
        """By user the facts that only the graph has. Raises StoreUnavailable."""
        found: dict[UUID, list[UUID]] = defaultdict(list)
        async for page in self._in_graph():
            asked = {"facts": [one.fact_id for one in page]}
            there = set(await self._postgres.fetch_as_service(sql_text("doctor/facts_there"), asked, row=UUID))
            gone = [one for one in page if one.fact_id not in there]
            quiet = await self.quiet({one.user_id for one in gone}) if gone else set()
            for one in gone:
                if one.user_id in quiet:
                    found[one.user_id].append(one.fact_id)
        return found

    async def quiet(self, users: Collection[UUID]) -> set[UUID]:
        """Those of the users without a commit under way."""
        asked = {"users": list(users)}
        return set(users) - set(await self._postgres.fetch_as_service(sql_text("doctor/busy_users"), asked, row=UUID))

    async def _page(self, after: UUID) -> list[_Row]:
        asked = {"after": after, "most": PAGE}
        return await self._postgres.fetch_as_service(sql_text("doctor/facts"), asked, row=_Row)

    async def _compared(self, page: list[_Row], after: UUID) -> list[_InGraph]:
        """Who writes just now may be between the two, so what is wrong is looked at again."""
        wrong = await self._wrong(page)
        if not wrong:
            return []
        quiet, ids = await self.quiet({one.user_id for one in wrong}), {one.fact_id for one in wrong}
        again = [one for one in await self._page(after) if one.user_id in quiet and one.fact_id in ids]
        return await self._wrong(again)

    async def _wrong(self, rows: Collection[_Row]) -> list[_InGraph]:
        asked = [
            {
                "fact_id": str(one.fact_id),
                "user_id": str(one.user_id),
                "revision": one.revision,
                "status": one.status,
                "supersedes": str(one.supersedes) if one.supersedes else None,
                "confirms": str(one.confirms) if one.confirms else None,
            }
            for one in rows
        ]
        return await self._neo4j.read(cypher("doctor/facts"), row=_InGraph, facts=asked) if asked else []

    async def _in_graph(self) -> AsyncIterator[list[_InGraph]]:
        statement, after = cypher("doctor/facts_page"), ""
        while page := await self._neo4j.read(statement, row=_InGraph, after=after, limit=PAGE):
            yield page
            after = str(page[-1].fact_id)

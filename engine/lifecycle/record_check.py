"""What the graph shows of records and who may see them, beside Postgres, which is right: privacy, type, label and caption."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from engine.lifecycle.finding import FIX, Finding
from engine.lifecycle.mending.tally import Tally
from engine.progress import counted
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 1000
Wrong = Literal["shown", "hidden", "labelled"]
PROBLEMS: dict[Wrong, str] = {
    "shown": "private, and shown by the graph to all who have a right there",
    "hidden": "with another privacy in the graph, which hides them from who has a right there",
    "labelled": "with another type, label or caption, or no node, in the graph than their type, title and place make",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    """`node_id`: None of a record that no node of the graph holds."""

    record_id: UUID
    node_id: UUID | None
    privacy: str | None
    content_type: str | None
    label: bool
    caption: bool


@dataclass(frozen=True, slots=True)
class _Copy:
    record_id: UUID
    node_id: UUID
    schema_name: str
    privacy: str
    content_type: str


class RecordCheck:
    """Compares and mends the records of all graphs; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def findings(self) -> AsyncIterator[Finding]:
        """One for each node and problem, what shows private records first. Raises StoreUnavailable."""
        found: dict[Wrong, Counter[tuple[UUID, str]]] = defaultdict(Counter)
        async for page in self._wrong():
            for copy, problems in page:
                for problem in problems:
                    found[problem][copy.node_id, copy.schema_name] += 1
        for problem, words in PROBLEMS.items():
            for (node_id, schema), number in sorted(found[problem].items()):
                said = f"{counted(number, 'record')} {words}"
                remedy = f"{FIX} follows Postgres"
                yield Finding("error", "neo4j", f"node {schema}", said, remedy, "record-wrong", node_id)

    async def mend(self, tally: Tally) -> None:
        """All graphs. Raises StoreUnavailable."""
        async for page in self._wrong():
            tally.add("values of records", len(page))
            if not tally.dry:
                await self._set([copy for copy, _ in page])

    async def of_node(self, node_id: UUID) -> None:
        """One node. Raises StoreUnavailable."""
        async for page in self._wrong():
            await self._set([copy for copy, _ in page if copy.node_id == node_id])

    async def _set(self, copies: list[_Copy]) -> None:
        rows = [
            {
                "record_id": str(one.record_id),
                "node_id": str(one.node_id),
                "privacy": one.privacy,
                "content_type": one.content_type,
            }
            for one in copies
        ]
        await self._neo4j.write(cypher("lifecycle/records_shown"), records=rows)
        nodes = sorted({str(one.node_id) for one in copies})
        await self._neo4j.write(cypher("lifecycle/recounted"), nodes=nodes)  # how many of them are private

    async def _wrong(self) -> AsyncIterator[list[tuple[_Copy, tuple[Wrong, ...]]]]:
        """What is wrong, beside what is right, page by page; not of a record that lies elsewhere in Postgres, which is being
        moved, or listed wrong."""
        after, statement = "", cypher("doctor/records_shown")
        while page := await self._neo4j.read(statement, row=_Shown, after=after, limit=PAGE):
            after = str(page[-1].record_id)
            shown = {(one.record_id, one.node_id): one for one in page}
            nodes = {one.node_id for one in page if one.node_id}
            asked = {"nodes": list(nodes), "records": [one.record_id for one in page]}
            copies = await self._postgres.fetch_as_service(sql_text("doctor/record_copies"), asked, row=_Copy)
            pairs = [(copy, shown.get((copy.record_id, copy.node_id))) for copy in copies]
            wrong = [(copy, problems) for copy, there in pairs if there and (problems := _problems(there, copy))]
            if wrong:
                yield wrong


def _problems(shown: _Shown, right: _Copy) -> tuple[Wrong, ...]:
    found: list[Wrong] = []
    if shown.privacy != right.privacy:
        found.append("shown" if right.privacy == "private" else "hidden")
    if shown.content_type != right.content_type or shown.label or shown.caption:
        found.append("labelled")
    return tuple(found)

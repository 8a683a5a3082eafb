"""What the user decided of entities, relations and intentions, and what was withdrawn: commits in Postgres, which keeps them,
beside the graph, where alone they show. An older graph lacks the last of them; they are applied to it again, in their order.

What records mention and relate is kept for a while, too (`NEURIGRAPH_OUTBOX_DAYS`). It is applied first: with it entities get
the ids again that decisions name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from engine.commit.graph import apply
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 500
DECISIONS = (
    "entities_merged", "merge_undone", "told_apart", "relation_decided", "entity_corrected", "alias_decided",
    "intention_decided", "record_retracted",
)  # fmt: skip
FOUND = ("mentions", "relations")
"""What was found in records when they were stored."""


@dataclass(frozen=True, slots=True)
class _Change:
    commit_id: UUID
    user_id: UUID
    created_at: datetime
    kind: str
    change: dict[str, Any]

    @property
    def said(self) -> dict[str, Any]:
        """What it says, for the comparison with the graph."""
        [value] = (value for name, value in self.change.items() if name != "kind")
        if isinstance(value, list):  # of mentions the record is enough
            return {"record_id": value[0]["record_id"]} if value else {}
        return dict(value)


class Decisions:
    """Compares decisions with the graph, and applies those that it lacks; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def lacking(self) -> Counter[UUID]:
        """How many decisions of each user the graph lacks. Raises StoreUnavailable."""
        found: Counter[UUID] = Counter()
        async for page in self._pages(DECISIONS):
            found.update(one.user_id for one in await self._lacking(page))
        return found

    async def mend(self, user_id: UUID | None = None, *, dry: bool = False) -> int:
        """Applies what the graph lacks, of a user or of all; how many decisions. Raises StoreUnavailable, StoreFailed."""
        mended = 0
        async for page in self._pages((*FOUND, *DECISIONS)):
            own = [one for one in page if user_id in (None, one.user_id)]
            before: set[int] = set()
            # One that is applied lets others show that they lack: the end of a merge follows the merge.
            while (lacking := await self._lacking(own)) and (numbers := {*map(id, lacking)}) != before:
                mended += sum(one.kind in DECISIONS for one in lacking if id(one) not in before)
                before = numbers
                if dry:
                    break
                for one in lacking:
                    await apply(self._neo4j, [one.change], partly=True)
        return mended

    async def _lacking(self, page: Sequence[_Change]) -> list[_Change]:
        asked = [{"number": number, "kind": one.kind, "said": one.said} for number, one in enumerate(page)]
        numbers = await self._neo4j.read(cypher("doctor/undecided"), row=int, changes=asked) if asked else []
        return [page[number] for number in numbers]

    async def _pages(self, kinds: Sequence[str]) -> AsyncIterator[list[_Change]]:
        at, after = datetime.min.replace(tzinfo=UTC), UUID(int=0)
        statement = sql_text("mend/decisions")
        while True:
            asked = {"kinds": list(kinds), "after_time": at, "after": after, "limit": PAGE}
            page = await self._postgres.fetch_as_service(statement, asked, row=_Change)
            if not page:
                return
            yield page
            at, after = page[-1].created_at, page[-1].commit_id

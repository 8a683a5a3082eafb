"""Takes what was forgotten out of the graph: what records mention and state, and all of a user.

    facts → relations → keys of entities → mentions, entities, names → records

Each step is a transaction of its own for a page of records, and leaves a graph that is whole; a record goes last, so a run that
was ended anywhere is taken up by running it again. What others state, too, says afterwards what they state of it.

Neo4j's indexes follow its nodes. Lucene, which the full-text and vector indexes stand on, marks what was deleted and drops it
when it next merges the segment: until then it lies in files of the index, where no query finds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from engine.domain.clock import Clock, SystemClock
from engine.entities.resolution.romanized import canonical_key, free_key, is_key_of
from engine.forgetting.numbers import EntityNumbers
from engine.knowledge.entity_finder import lucene_query
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher

RECORDS, FACTS, OF_USER, ALIASES = 25, 200, 200, 5000
"""At once in one transaction: records; facts; things of a user; aliases that are looked at."""
NEAR = 1000
"""Aliases that share a word with a name, of which it is looked whether a record uses that name of theirs."""
Counts = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class _Counted:
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class NodeEdge:
    """An edge of a node, and the node at its other end."""

    edge_id: UUID
    node_id: UUID


@dataclass(frozen=True, slots=True)
class _Refused:
    after: str | None
    gone: int


@dataclass(frozen=True, slots=True)
class _Named:
    """An entity that records mention which are erased: what they call it (`erased`), and what others do."""

    entity_id: UUID
    key: str
    kind: str
    erased: tuple[str, ...]
    names: tuple[str, ...]
    first: tuple[str, ...]
    stays: bool
    nameless: bool
    made: bool
    aliases: tuple[str, ...]
    schemas: tuple[str, ...]

    def new_keys(self) -> list[str]:
        """Keys that it may have instead, the best first; none where its own tells no name that only erased records use."""
        if not self.stays or is_key_of(self.key, self.names):
            return []
        if not is_key_of(self.key, self.erased) and (self.made or self.nameless):
            return []
        if not self.first:  # nobody else calls it by a name
            return [_other_key(self.kind_of_key, self.kind, self.entity_id)]
        name = max(self.first, key=len)
        return [canonical_key(self.kind_of_key, name), _other_key(self.kind_of_key, name, self.entity_id)]

    @property
    def kind_of_key(self) -> str:
        return self.key.partition(":")[0]


def _other_key(kind: str, name: str, entity_id: UUID) -> str:
    """A key for where another entity has the canonical one."""
    return free_key(kind, name, {canonical_key(kind, name)}, str(entity_id))


class ErasedGraph:
    """Erases in Neo4j; for the service. `numbers`: of entities in the rows of items, which follow where an entity gets another
    key; None where rows are no concern."""

    def __init__(self, neo4j: Neo4j, clock: Clock | None = None, numbers: EntityNumbers | None = None) -> None:
        self._neo4j, self._clock, self._numbers = neo4j, clock or SystemClock(), numbers

    async def erase_records(
        self, user_id: UUID, record_ids: Sequence[UUID], facts: Sequence[UUID] = ()
    ) -> dict[str, int]:
        """Erases these records of a user with all that only they say, and these facts. Returns how many nodes and relationships
        went, by label and type. What was erased before is passed over. Raises StoreUnavailable."""
        counts, since = Counter[str](), self._clock.now()
        builds = cypher("forget/builds")
        await self._write(builds, user_id=str(user_id), at=since, since=None)
        for records in _pages(record_ids, RECORDS):
            for step in (self._stated_by, self._mentioned_by):
                _add(counts, await step(str(user_id), records))
            _add(counts, await self._write(cypher("forget/records"), user_id=str(user_id), records=records))
        for page in _pages(facts, FACTS):
            _add(counts, await self._write(cypher("forget/facts"), user_id=str(user_id), records=[], facts=page))
        counts["Alias"] += await self._refusals(str(user_id))
        _add(counts, await self._write(builds, user_id=str(user_id), at=self._clock.now(), since=since))
        return dict(+counts)

    async def entities_of(self, user_id: UUID, records: Sequence[UUID]) -> list[str]:
        """Ids of the entities that these records mention, which may go with them. Raises StoreUnavailable."""
        of = {"user_id": str(user_id), "records": [str(one) for one in records]}
        return await self._neo4j.read(cypher("forget/entities"), row=str, **of)

    async def entities_there(self, user_id: UUID, entities: Sequence[str]) -> list[str]:
        """Which of these entities are there. Raises StoreUnavailable."""
        of = {"user_id": str(user_id), "entities": list(entities)}
        return await self._neo4j.read(cypher("forget/entities_there"), row=str, **of)

    async def records_at(self, user_id: UUID, nodes: Sequence[UUID]) -> list[UUID]:
        """The records that the graph has at nodes. Raises StoreUnavailable."""
        of = {"user_id": str(user_id), "nodes": [str(one) for one in nodes]}
        return await self._neo4j.read(cypher("forget/records_at"), row=UUID, **of)

    async def edges_of(self, user_id: UUID, nodes: Sequence[UUID]) -> list[NodeEdge]:
        """The edges of nodes, those of before, too. Raises StoreUnavailable."""
        of = {"user_id": str(user_id), "nodes": [str(one) for one in nodes]}
        return await self._neo4j.read(cypher("forget/edges_of_nodes"), row=NodeEdge, **of)

    async def erase_nodes(self, user_id: UUID, nodes: Sequence[UUID]) -> dict[str, int]:
        """Erases nodes that hold no records any more, with all that hangs on them. Returns and raises as `erase_records`."""
        counts = Counter[str]()
        for page in _pages(nodes, RECORDS):
            _add(counts, await self._write(cypher("forget/nodes"), user_id=str(user_id), nodes=page))
        return dict(+counts)

    async def erase_user(self, user_id: UUID) -> dict[str, int]:
        """Erases all that the graph has of a user. Returns and raises as `erase_records`."""
        counts = Counter[str]()
        while page := await self._write(cypher("forget/user_page"), user_id=str(user_id), most=OF_USER):
            _add(counts, page)
        return dict(+counts)

    async def _stated_by(self, user_id: str, records: list[str]) -> Counts:
        of = {"user_id": user_id, "records": records}
        facts = await self._write(cypher("forget/facts"), **of, facts=[])
        return [*facts, *await self._write(cypher("forget/relations"), **of)]

    async def _mentioned_by(self, user_id: str, records: list[str]) -> Counts:
        """Their entities. Names are seen to in the same transaction: afterwards nobody knows which they were."""
        of: dict[str, Any] = {"user_id": user_id, "records": records}
        named = await self._neo4j.read(cypher("forget/named"), row=_Named, **of)
        for one in named:
            await self._rekey(user_id, one)
        keys = sorted({key for one in named for key in (*one.erased, *one.aliases)})
        text = lucene_query(keys, user_id.replace("-", ""))
        found: list[Counts] = []

        def whole(rows: Sequence[list[Any]]) -> bool:
            found[:] = [counts for row in rows for counts in row]
            return True

        entities = [str(one.entity_id) for one in named]
        names = {"user_id": user_id, "keys": keys, "entities": entities, "text": text, "most": NEAR}
        statements = [(cypher("forget/mentions"), of), (cypher("forget/names"), names)]
        await self._neo4j.write_all(statements, whole)
        return [pair for counts in found for pair in counts]

    async def _rekey(self, user_id: str, one: _Named) -> None:
        """Gives an entity another key where its own tells a name that only erased records use. Rows follow first: afterwards
        nobody knows what its key was."""
        if not (keys := one.new_keys()):
            return
        taken = await self._neo4j.read(cypher("forget/taken"), row=str, user_id=user_id, keys=keys)
        key = next((key for key in keys if key not in taken), keys[-1])
        if self._numbers is not None:
            await self._numbers.change(UUID(user_id), one.schemas, one.key, key)
        asked = {"entity_id": str(one.entity_id), "was": one.key, "key": key}
        await self._neo4j.write(cypher("forget/keyed"), row=str, user_id=user_id, **asked)

    async def _refusals(self, user_id: str) -> int:
        """Aliases that users took from entities that are gone."""
        gone = 0
        after: str | None = ""
        while after is not None:
            [page] = await self._neo4j.write(
                cypher("forget/refusals"), row=_Refused, user_id=user_id, after=after, most=ALIASES
            )
            gone, after = gone + page.gone, page.after
        return gone

    async def _write(self, statement: LiteralString, **parameters: Any) -> Counts:
        rows = await self._neo4j.write(statement, row=_Counted, **parameters)
        return [pair for one in rows for pair in one.counts]


def _pages(ids: Sequence[UUID], most: int) -> Iterator[list[str]]:
    written = sorted(map(str, ids))
    return (written[first : first + most] for first in range(0, len(written), most))


def _add(counts: Counter[str], found: Counts) -> None:
    for kind, number in found:
        counts[kind] += number

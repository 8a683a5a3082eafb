"""What is named to be forgotten: which sources and records that is, and how much of everything hangs on it.

A record that is all of its source takes the source along: what comes again under its id is known to be forgotten. Where a source
has other records, too, it stays, as does what it knows of its own length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from engine.domain.forgetting import ForgettingPreview, ForgettingSubject, RecordPlace
from engine.domain.history import source_key
from engine.errors import InvalidInput, NotFound
from engine.forgetting.nodes import ErasedNode, ErasedNodes
from engine.forgetting.retention import RetentionRules
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_in, sql_text

NOT_AN_ID = "A record, a document, an item and a node are named by their ids; a source by the id that was given for it."
ROOT = "The root of a user goes with the user alone: `users forget`."
_OF_PERSONA = re.compile(r"^persona:[0-9a-f-]{36}:")
SOURCES = 500
"""Sources that are looked up at once."""
NOT_ALONE = "This item is one of several of its record: forget the record, or withdraw the item."


@dataclass(frozen=True, slots=True)
class Belongings:
    """The sources that go, the records, and the nodes, the lowest first."""

    sources: tuple[str, ...]
    records: tuple[RecordPlace, ...]
    nodes: tuple[ErasedNode, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    record_id: UUID
    node_id: UUID
    source_id: str


@dataclass(frozen=True, slots=True)
class _Schema:
    node_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _Content:
    items: int
    facts: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _UserContent:
    nodes: int
    sources: int
    facts: int
    files: int
    bytes: int


class Subjects:
    """Finds what belongs to a subject; for the service, which sees what holds no more, too."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, rules: RetentionRules) -> None:
        self._postgres, self._neo4j, self._rules, self._nodes = postgres, neo4j, rules, ErasedNodes(postgres)

    async def belongings(self, user_id: UUID, subject: ForgettingSubject) -> Belongings:
        """The sources and records of a subject. Raises NotFound, InvalidInput."""
        if subject.kind == "source":
            return await self._of_source(user_id, subject.id)
        if subject.kind == "retention":
            return await self._due(user_id, subject.id.partition(" ")[0])
        try:
            named = UUID(subject.id)
        except ValueError:
            raise InvalidInput(NOT_AN_ID) from None
        if subject.kind == "node":
            return await self._of_node(user_id, named)
        if subject.kind == "item":
            asked = {"user_id": user_id, "fact_id": named}
            named = only(await self._postgres.fetch_as_service(sql_text("forgettings/record_of_item"), asked, row=UUID))
        place = only(await self._records(user_id, [named]))
        if subject.kind == "item" and not place.source_id.startswith("fact:"):
            raise InvalidInput(NOT_ALONE)
        whole = await self.of_sources(user_id, [place.source_id])
        if subject.kind == "document" or {one.record_id for one in whole} == {named}:
            return Belongings((place.source_id,), whole)
        return Belongings((), tuple(one for one in whole if one.record_id == named))

    async def of_sources(self, user_id: UUID, sources: Sequence[str]) -> tuple[RecordPlace, ...]:
        """All records of these sources, in the order of their ids."""
        found = await self._neo4j.read(
            cypher("forget/records_of_source"), row=_Place, user_id=str(user_id), sources=list(sources)
        )
        return await self._placed(user_id, found)

    async def there(self, user_id: UUID, records: Sequence[RecordPlace]) -> tuple[RecordPlace, ...]:
        """Those of these records that are there still, where they lie now."""
        return await self._placed(user_id, await self._records(user_id, [one.record_id for one in records]))

    async def source(self, user_id: UUID, named: str) -> str:
        """The id of a source as records have it, by the id that was given for it. Raises NotFound, InvalidInput."""
        return (await self._of_source(user_id, named)).sources[0]

    async def record(self, user_id: UUID, record_id: UUID) -> None:
        """Raises NotFound where the user has no such record."""
        only(await self._records(user_id, [record_id]))

    async def preview(self, user_id: UUID, subject: ForgettingSubject) -> ForgettingPreview:
        """How much a forgetting would erase. Raises NotFound, InvalidInput."""
        if subject.kind == "user":
            asked = {"user_id": user_id}
            found = await self._postgres.fetch_as_service(sql_text("forgettings/user_content"), asked, row=_UserContent)
            one = only(found)
            return ForgettingPreview(
                subject, nodes=one.nodes, sources=one.sources, facts=one.facts, files=one.files, bytes=one.bytes
            )
        belongs = await self.belongings(user_id, subject)
        content = [await self._content(schema, records) for schema, records in _by_schema(belongs.records)]
        return ForgettingPreview(
            subject,
            nodes=len(belongs.nodes),
            sources=len({_OF_PERSONA.sub("", one) for one in belongs.sources}),
            records=len(belongs.records),
            items=sum(one.items for one in content),
            facts=sum(one.facts for one in content),
            files=sum(one.files for one in content),
            bytes=sum(one.bytes for one in content),
        )

    async def texts(self, records: Sequence[RecordPlace], most: int) -> list[str]:
        """Texts of records, so many at most of each node."""
        found: list[str] = []
        for schema, own in _by_schema(records):
            asked = {"records": own, "limit": most}
            found += await self._postgres.fetch_as_service(sql_in("forgettings/words", schema), asked, row=str)
        return found

    async def _of_source(self, user_id: UUID, named: str) -> Belongings:
        candidates = [named, source_key(named), *(f"{kind}:{named}"[:500] for kind in ("text", "file", "fact"))]
        asked = {"user_id": user_id, "sources": candidates}
        known = await self._postgres.fetch_as_service(sql_text("forgettings/sources_known"), asked, row=str)
        rows = await self._neo4j.read(
            cypher("forget/records_of_source"), row=_Place, user_id=str(user_id), sources=candidates
        )
        sources = sorted({*known, *(one.source_id for one in rows)})
        if len(sources) > 1:
            raise InvalidInput(f"Several sources have this id, say which: {', '.join(sources)}.")
        if not sources:
            raise NotFound
        return Belongings(tuple(sources), await self._placed(user_id, rows))

    async def _of_node(self, user_id: UUID, node_id: UUID) -> Belongings:
        """A node with all below it: sources go of which no record lies elsewhere. Raises NotFound, InvalidInput for the root,
        Conflict where a persona among them stored records elsewhere."""
        if node_id == user_id:
            raise InvalidInput(ROOT)
        nodes = await self._nodes.below(user_id, node_id)
        if not nodes:
            raise NotFound
        held = await self._nodes.records(nodes)
        records = {one.record_id: RecordPlace(node.node_id, node.schema_name, one.record_id) for node, one in held}
        named = sorted({one.source_id for _, one in held})
        apart: set[str] = set()
        for first in range(0, len(named), SOURCES):
            asked = {"user_id": str(user_id), "sources": named[first : first + SOURCES]}
            rows = await self._neo4j.read(cypher("forget/records_of_source"), row=_Place, **asked)
            apart |= {one.source_id for one in rows if one.record_id not in records}
        whole = [*({*named} - apart), *await self._nodes.conversations(user_id, nodes)]
        sources = sorted({*whole, *await self._nodes.keys(user_id, whole)})
        await self._nodes.refuse_elsewhere(user_id, nodes, sources)
        return Belongings(tuple(sources), tuple(records[one] for one in sorted(records, key=str)), tuple(nodes))

    async def _due(self, user_id: UUID, rule: str) -> Belongings:
        """Some records that a rule takes now, without those that are held, and the sources that have no others. Raises NotFound
        where nothing is due."""
        found = await self._rules.due(user_id, rule, free=True, limit=self._rules.group)
        if not found:
            raise NotFound
        asked = {"sources": sorted({one.source_id for one in found}), "records": [str(one.record_id) for one in found]}
        statement = cypher("forget/sources_whole")
        whole = await self._neo4j.read(statement, row=str, user_id=str(user_id), **asked)
        return Belongings(tuple(whole), tuple(sorted((one.place for one in found), key=lambda one: str(one.record_id))))

    async def _records(self, user_id: UUID, records: Sequence[UUID]) -> list[_Place]:
        asked = {"user_id": str(user_id), "records": [str(one) for one in records]}
        return await self._neo4j.read(cypher("forget/records_by_id"), row=_Place, **asked)

    async def _placed(self, user_id: UUID, found: Sequence[_Place]) -> tuple[RecordPlace, ...]:
        asked = {"user_id": user_id, "nodes": sorted({one.node_id for one in found})}
        rows = await self._postgres.fetch_as_service(sql_text("forgettings/schemas"), asked, row=_Schema)
        schemas = {one.node_id: one.schema_name for one in rows}
        # of a node whose rows are gone the graph may have some still
        known = [one for one in found if one.node_id in schemas]
        places = {RecordPlace(one.node_id, schemas[one.node_id], one.record_id) for one in known}
        return tuple(sorted(places, key=lambda one: str(one.record_id)))

    async def _content(self, schema: str, records: Sequence[UUID]) -> _Content:
        asked = {"records": list(records)}
        return only(await self._postgres.fetch_as_service(sql_in("forgettings/content", schema), asked, row=_Content))


def _by_schema(records: Sequence[RecordPlace]) -> list[tuple[str, list[UUID]]]:
    ordered = sorted(records, key=lambda one: one.schema_name)
    return [(schema, [one.record_id for one in own]) for schema, own in groupby(ordered, lambda one: one.schema_name)]

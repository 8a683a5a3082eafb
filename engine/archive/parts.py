"""Archives of a part of a user's graph, for the owner: of a node with all below it, of a source, of an entity with the records
that mention it. They can be read, not imported: what they refer to may lie elsewhere.

    what belongs to it → rows, by the column that the catalogue names → what leads from its records in the graph → both ends of
    that → files

An entity brings whole records along, but of the graph what is said of it alone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import orjson

from engine.archive.catalogue import LinkMember, RowMember, catalogue
from engine.archive.explained import READ_ME_TEXT
from engine.archive.exporting import LONGEST_S, ArchiveExports, reported
from engine.archive.reading import member_of
from engine.archive.rows import ArchiveRows, NodePlace
from engine.archive.writing import ArchiveWriter
from engine.domain.archive import COLUMNS, READ_ME, ArchivePart, ArchiveReport
from engine.domain.history import source_key
from engine.domain.principal import Principal
from engine.errors import InvalidInput, NotFound
from engine.progress import Progress, Silent
from engine.stores.graph_values import plain
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in, sql_text

AT_ONCE = 500
"""Ids that are asked for at once."""
NOT_AN_ID = "A node and an entity are named by their ids; a source by the id that was given for it."
ROOT = "The root holds everything: leave the part out."
FROM_RECORDS = frozenset({"mentions", "evidence", "intentions", "stated_facts", "record_states"})
BETWEEN_NODES = frozenset({"tree", "edges", "past_edges"})
Link = list[Any]


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: UUID
    node_id: UUID
    source_id: str


@dataclass(frozen=True, slots=True)
class _OfEntity:
    kind: str
    id: str


@dataclass
class _Belongs:
    """What belongs to a part. `entities`: those that are told of; `whole`: whether all of its nodes is meant; `core`: the entity
    that was asked for, with those that are read as one with it; `relations`, `facts`: of an entity, else what its records say."""

    nodes: dict[UUID, NodePlace] = field(default_factory=dict)
    records: dict[str, UUID] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)
    whole: bool = False
    core: set[str] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)
    relations: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    past: set[str] = field(default_factory=set)

    def enter(self, records: Iterable[_Record]) -> None:
        for one in records:
            self.records[str(one.record_id)] = one.node_id
            self.sources.add(one.source_id)


class PartExports:
    """Writes archives of parts of graphs."""

    def __init__(self, exports: ArchiveExports, postgres: Postgres, neo4j: Neo4j) -> None:
        self._exports, self._found = exports, _Found(postgres, neo4j)
        self._neo4j = neo4j

    async def export(
        self, user_id: UUID, part: ArchivePart, path: Path, progress: Progress | None = None
    ) -> ArchiveReport:
        """Writes the archive of a part to `path`; it is written anew each time. What is written meanwhile may be in it, or not.

        Raises NotFound where the user has no such part, InvalidInput for an id that is none and where the place cannot be
        written, StoreUnavailable."""
        progress, started = progress or Silent(), monotonic()
        user, principal = await self._exports.user(user_id), Principal.user(user_id)
        belongs = await self._found.belongs(user_id, part)
        writer = ArchiveWriter(path)
        try:
            await asyncio.to_thread(writer.begin, "")
            await asyncio.to_thread(writer.restart)
            progress.start("archive", None, "lines")
            rows = self._exports.rows(principal)
            for member in catalogue().rows:
                if member.part:
                    await self._rows(writer, rows, member, belongs, user_id, progress)
            await _GraphOfPart(self._neo4j, writer, user_id, belongs).write()
            async for one in rows.objects():
                if str(one.record_id) in belongs.records:
                    name = member_of(one.object_key, packed=one.packed)
                    await self._exports.write_object(writer, one, name, one.object_key)
            for name, content in ((COLUMNS, await self._exports.explained()), (READ_ME, READ_ME_TEXT.encode())):
                with writer.member(name) as target:
                    target.write(content)
            progress.finish("archive")
            manifest = await self._exports.manifest(user, principal, writer, whole=False, part=part)
            size = await asyncio.to_thread(writer.finish, manifest)
        finally:
            await asyncio.to_thread(writer.close)
        return reported(path, user, writer, size, monotonic() - started, 0)

    async def _rows(
        self,
        writer: ArchiveWriter,
        rows: ArchiveRows,
        member: RowMember,
        belongs: _Belongs,
        user_id: UUID,
        progress: Progress,
    ) -> None:
        columns = [one for one in await rows.columns.of(member) if one not in (*member.left, *member.apart)]
        with writer.member(member.file) as target:
            async for place, ids in self._asked(member, belongs, user_id):
                async for lines in rows.of_part(member, columns, place, ids):
                    await asyncio.to_thread(target.write, lines.content, lines.number)
                    progress.advance("archive", lines.number)

    async def _asked(
        self, member: RowMember, belongs: _Belongs, user_id: UUID
    ) -> AsyncIterator[tuple[NodePlace | None, list[str] | None]]:
        """By which ids, in the tables of which node, the rows of a member are found; None: by all of a node."""
        if member.of_nodes:
            for node in belongs.nodes.values():
                if belongs.whole:
                    yield node, None
                    continue
                own = [record for record, at in belongs.records.items() if at == node.node_id]
                for ids in _pages(own):
                    deltas = member.part == ("subject_id",)
                    yield node, [*ids, *await self._found.items(node, ids)] if deltas else ids
            return
        if member.part == ("node_id",):
            every: list[str] = list(map(str, belongs.nodes)) if belongs.whole or member.name == "nodes" else []
        elif member.part == ("source_id",):
            every = await self._found.keys(user_id, belongs.sources)
        else:
            every = list(belongs.records)
        for ids in _pages(every):
            yield None, ids


class _Found:
    """Finds what belongs to a part; the service does, for the owner."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def belongs(self, user_id: UUID, part: ArchivePart) -> _Belongs:
        """Raises NotFound, InvalidInput."""
        found = await self._of_source(user_id, part.id) if part.kind == "source" else await self._by_id(user_id, part)
        lacking = {at for at in found.records.values() if at not in found.nodes}
        asked = {"user_id": user_id, "nodes": sorted(lacking)}
        for node in await self._postgres.fetch_as_service(sql_text("archive/nodes_named"), asked, row=NodePlace):
            found.nodes[node.node_id] = node
        return found

    async def _by_id(self, user_id: UUID, part: ArchivePart) -> _Belongs:
        try:
            named = UUID(part.id)
        except ValueError:
            raise InvalidInput(NOT_AN_ID) from None
        return await (self._of_node(user_id, named) if part.kind == "node" else self._of_entity(user_id, named))

    async def _of_node(self, user_id: UUID, node_id: UUID) -> _Belongs:
        if node_id == user_id:
            raise InvalidInput(ROOT)
        asked: dict[str, Any] = {"user_id": user_id, "node_id": node_id}
        nodes = await self._postgres.fetch_as_service(sql_text("archive/nodes_below"), asked, row=NodePlace)
        if not nodes:
            raise NotFound
        found = _Belongs({one.node_id: one for one in nodes}, whole=True)
        for node in nodes:
            after: UUID | None = UUID(int=0)
            while after:
                asked = {"node_id": node.node_id, "after": after, "limit": AT_ONCE}
                statement = sql_in("archive/records_at", node.schema_name)
                page = await self._postgres.fetch_as_service(statement, asked, row=_Record)
                found.enter(page)
                after = page[-1].record_id if len(page) == AT_ONCE else None
        return found

    async def _of_source(self, user_id: UUID, named: str) -> _Belongs:
        candidates = [named, source_key(named), *(f"{kind}:{named}"[:500] for kind in ("text", "file", "fact"))]
        asked: dict[str, Any] = {"user_id": user_id, "sources": candidates}
        found = _Belongs()  # of a conversation that is only waiting there is no record
        found.sources |= {*await self._postgres.fetch_as_service(sql_text("forgettings/sources_known"), asked, row=str)}
        asked |= {"user_id": str(user_id)}
        found.enter(await self._neo4j.read(cypher("forget/records_of_source"), row=_Record, **asked))
        if not found.sources:
            raise NotFound
        if len(found.sources) > 1:
            raise InvalidInput(f"Several sources have this id, say which: {', '.join(sorted(found.sources))}.")
        return found

    async def _of_entity(self, user_id: UUID, entity_id: UUID) -> _Belongs:
        asked = {"user_id": str(user_id), "entity_id": str(entity_id)}
        found = await self._neo4j.read(cypher("archive/part_of_entity"), row=_OfEntity, **asked)
        of: defaultdict[str, set[str]] = defaultdict(set)
        for one in found:
            of[one.kind].add(one.id)
        if not of["entity"]:
            raise NotFound
        belongs = _Belongs(
            core=of["entity"], entities=of["entity"] | of["neighbour"], relations=of["relation"], facts=of["fact"]
        )
        statement = cypher("forget/records_by_id")
        for ids in _pages(sorted(of["record"])):
            belongs.enter(await self._neo4j.read(statement, row=_Record, user_id=str(user_id), records=ids))
        return belongs

    async def keys(self, user_id: UUID, sources: Iterable[str]) -> list[str]:
        """The ids of sources in tables, by those that records have."""
        found = set(sources) | {source_key(one) for one in sources}
        for page in _pages(sorted(sources)):
            asked = {"user_id": user_id, "sources": page}
            found |= {*await self._postgres.fetch_as_service(sql_text("archive/keys_of_sources"), asked, row=str)}
        return sorted(found)

    async def items(self, node: NodePlace, records: Sequence[str]) -> list[str]:
        statement, asked = sql_in("archive/items_of_records", node.schema_name), {"records": list(records)}
        return [str(one) for one in await self._postgres.fetch_as_service(statement, asked, row=UUID)]


class _GraphOfPart:
    """What the graph has of a part: what leads from its records, then from what that leads to, then both ends of all."""

    def __init__(self, neo4j: Neo4j, writer: ArchiveWriter, user_id: UUID, belongs: _Belongs) -> None:
        self._neo4j, self._writer, self._user_id, self._belongs = neo4j, writer, str(user_id), belongs

    async def write(self) -> None:
        held, own = {one.name: one for one in catalogue().links}, self._belongs
        for name in FROM_RECORDS:
            await self._links(held[name], own.records, self._of_records(name))
        await self._links(held["fact_entities"], own.facts, lambda link: self._enter(own.entities, link[2]))
        await self._links(held["relations"], own.entities, self._of_relation)
        await self._links(held["merges"], own.entities, lambda link: link[2] in own.entities)
        await self._links(held["fact_chains"], own.facts, lambda link: link[2] in own.facts)
        await self._links(held["names"], own.entities, lambda link: True)
        nodes = {*map(str, own.nodes)}
        await self._links(held["held_records"], nodes, lambda link: link[2] in own.records)
        for name in BETWEEN_NODES if own.whole else ():
            await self._links(held[name], nodes, lambda link: link[2] in nodes)
        of = {"shells": nodes, "past_states": own.past, "manifest": own.records, "fact_nodes": own.facts}
        of |= {"entities": own.entities, "aliases": own.entities}
        for member in catalogue().elements:
            if member.name in of:
                await self._elements(member.file, member.label, of[member.name])

    def _of_records(self, name: str) -> Callable[[Link], bool]:
        """Which links of records are kept, and notes where they lead: of an entity what is said of it alone."""
        own = self._belongs

        def kept(link: Link) -> bool:
            if name == "record_states":
                return self._enter(own.past, link[2])
            if name == "stated_facts":
                return link[2] in own.facts if own.core else self._enter(own.facts, link[2])
            if own.core:
                return link[3].get("relation_id") in own.relations if name == "evidence" else link[2] in own.core
            if name == "evidence" and "relation_id" in link[3]:
                own.relations.add(link[3]["relation_id"])
            return self._enter(own.entities, link[2])

        return kept

    def _of_relation(self, link: Link) -> bool:
        """Keeps relations that belong to the part, with the entities at their ends."""
        if link[3].get("relation_id") not in self._belongs.relations:
            return False
        self._belongs.entities |= {link[1], link[2]}
        return True

    @staticmethod
    def _enter(among: set[str], one: str) -> bool:
        among.add(one)
        return True

    async def _links(self, member: LinkMember, ids: Iterable[str], kept: Callable[[Link], bool]) -> None:
        with self._writer.member(member.file) as target:
            async for link in self._found(member, ids):
                if kept(link):
                    target.write(_line(link), 1)

    async def _found(self, member: LinkMember, ids: Iterable[str]) -> AsyncIterator[Link]:
        asked: dict[str, Any] = {"source": member.source, "target": member.target, "types": list(member.types)}
        asked |= {"has": member.has or None, "lacks": member.lacks or None}
        for page in _pages(sorted(ids)):
            statement = cypher("archive/part_links")
            async for links in self._neo4j.stream(statement, LONGEST_S, user_id=self._user_id, ids=page, **asked):
                for kind, source, target, properties in links:
                    yield [kind, source, target, plain(properties)]

    async def _elements(self, file: str, label: str, ids: Iterable[str]) -> None:
        with self._writer.member(file) as target:
            for page in _pages(sorted(ids)):
                asked: dict[str, Any] = {"user_id": self._user_id, "label": label, "ids": page}
                async for rows in self._neo4j.stream(cypher("archive/part_elements"), LONGEST_S, **asked):
                    for labels, properties in rows:
                        line = {"labels": labels, **plain(properties)}
                        target.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE), 1)


def _line(link: Link) -> bytes:
    line = dict(zip(("type", "from", "to", "properties"), link, strict=True))
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _pages(ids: Sequence[str]) -> Iterable[list[str]]:
    return (list(ids[first : first + AT_ONCE]) for first in range(0, len(ids), AT_ONCE))

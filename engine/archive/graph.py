"""Nodes and relationships of an archive, made in the graph as they were; their user is not in Postgres yet, so no read returns
them. What an import left that did not end is removed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.archive.catalogue import ElementMember, LinkMember, catalogue
from engine.archive.reading import ArchiveReader, Line
from engine.errors import ArchiveDamaged
from engine.knowledge.dictionary import Described, described
from engine.stores.graph_values import stored
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher

AT_ONCE = 200
REMOVED_AT_ONCE = 500
OF_FILES = ("state_seq", "state_locked")
"""Properties of shells that count changes of files in the old installation."""
Slots = Mapping[str, str]
"""Of the columns of vectors in the archive, by their names, those in which they lie here."""


@dataclass(frozen=True, slots=True)
class _Removed:
    counts: tuple[tuple[str, int], ...]


class ArchiveGraph:
    """Makes the graph of one user from an archive."""

    def __init__(self, neo4j: Neo4j, reader: ArchiveReader, slots: Slots) -> None:
        self._neo4j, self._reader, self._slots = neo4j, reader, slots
        self._user_id = str(reader.manifest.user.user_id)

    async def make(self, advanced: Callable[[int], None]) -> None:
        """Makes all of it. Raises ArchiveDamaged where a relationship has no ends; a node that is there already is refused."""
        held = catalogue()
        for element in held.elements:
            async for batch in batches(self._reader.batches(element.file, lines=AT_ONCE)):
                await self._elements(element, batch)
                advanced(len(batch))
        for link in held.links:
            async for batch in batches(self._reader.batches(link.file, lines=AT_ONCE)):
                await self._links(link, batch)
                advanced(len(batch))

    async def _elements(self, member: ElementMember, batch: list[Line]) -> None:
        label = described()[0][member.label]
        rows = [self._element(member, label, line) for line in batch]
        statement = "archive/subjects_made" if member.label == "Subject" else "archive/elements_made"
        await self._neo4j.write(cypher(statement), row=int, rows=rows)

    def _element(self, member: ElementMember, label: Described, line: Line) -> dict[str, Any]:
        labels = line.pop("labels", None)
        others = {one.name for one in described()[0].values() if not one.of} - {member.label}
        if (
            not isinstance(labels, list)
            or not _are_labels(labels)
            or member.label not in labels
            or others & set(labels)
        ):
            raise ArchiveDamaged(f"A line of {member.file} has no labels, or others.")
        properties = _properties(member.file, label, line)
        if member.label == "Subject":
            return {"properties": {name: properties.get(name) for name in ("subject_id", "kind")}}
        properties["user_id"] = self._user_id
        if "user_key" in properties:
            properties["user_key"] = UUID(self._user_id).hex
        if member.label == "Node":
            properties = self._shell(properties)
        return {"labels": labels, "properties": properties}

    def _shell(self, properties: dict[str, Any]) -> dict[str, Any]:
        """A shell whose files sleep, with its vectors in the slots that are theirs here."""
        made = {name: value for name, value in properties.items() if name not in OF_FILES}
        if "state_seq" in properties:
            made["state"] = "dormant"
        vectors = {column: made.pop(column, None) for column in ("embedding", "embedding_b")}
        versions = {column: made.pop(f"{column}_version", None) for column in vectors}
        for column, vector in vectors.items():
            if vector is not None and (place := self._slots.get(str(versions[column]))) is not None:
                made |= {place: vector, f"{place}_version": versions[column]}
        return made

    async def _links(self, member: LinkMember, batch: list[Line]) -> None:
        types = [described()[1][name] for name in member.types]
        rows = [self._link(member, types, line) for line in batch]
        ends = {"source": member.source, "target": member.target}
        made = await self._neo4j.write(cypher("archive/links_made"), row=int, user_id=self._user_id, rows=rows, **ends)
        if sum(made) != len(rows):
            raise ArchiveDamaged(f"{member.file} has a relationship whose ends are missing.")

    def _link(self, member: LinkMember, types: list[Described], line: Line) -> dict[str, Any]:
        try:
            kind, source, target, properties = (line[name] for name in ("type", "from", "to", "properties"))
        except KeyError as error:
            raise ArchiveDamaged(f"A line of {member.file} lacks {error.args[0]!r}.") from error
        known = next((one for one in types if one.name == kind), types[0])
        source, _, key = source.partition(":") if member.source == "Alias" else (source, "", None)
        if not _are_labels([kind]) or not isinstance(properties, dict) or not (member.has or kind in member.types):
            raise ArchiveDamaged(f"A line of {member.file} has another type.")
        properties = _properties(member.file, known, properties)
        if "user_id" in properties:
            properties["user_id"] = self._user_id
        return {"kind": kind, "source": source, "key": key, "target": target, "properties": properties}


def _properties(file: str, of: Described, properties: Mapping[str, Any]) -> dict[str, Any]:
    times = {name for name, one in of.properties.items() if "ZONED DATETIME" in one.type}
    try:
        return stored(properties, times)
    except (TypeError, ValueError) as error:
        raise ArchiveDamaged(f"A line of {file} has a time that is none.") from error


def _are_labels(names: list[Any]) -> bool:
    return all(isinstance(name, str) and name.isidentifier() for name in names)


async def remove(neo4j: Neo4j, user_id: UUID) -> None:
    """Removes what the graph has of a user who is not in Postgres: what an import left that did not end."""
    while any(
        one.counts
        for one in await neo4j.write(
            cypher("forget/user_page"), row=_Removed, user_id=str(user_id), most=REMOVED_AT_ONCE
        )
    ):
        pass


async def batches(made: Iterator[list[Line]]) -> Any:
    """Batches of lines, each read in a thread."""
    while (batch := await asyncio.to_thread(next, made, None)) is not None:
        yield batch

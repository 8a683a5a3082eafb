"""Exports of archives: all that is kept of a user, for the owner. What is forgotten is not kept, so it is in none.

An archive is of one moment. Writers are not held up: where something was written meanwhile, all is read again, some times; an
attempt that was interrupted goes on, as long as nothing was written since.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import orjson
from pydantic import TypeAdapter

from engine.archive.catalogue import ElementMember, LinkMember, RowMember, catalogue
from engine.archive.explained import READ_ME_TEXT, explained
from engine.archive.reading import member_of
from engine.archive.rows import ArchivedObject, ArchiveRows
from engine.archive.writing import ArchiveWriter
from engine.domain.archive import (
    COLUMNS,
    FORMAT,
    READ_ME,
    VERSION,
    ArchiveManifest,
    ArchivePart,
    ArchiveReport,
    ArchiveUser,
)
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import ArchiveError, DamagedFile
from engine.lifecycle.file_states import restore
from engine.progress import Progress, Silent
from engine.stores.graph_values import plain
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_text

ROUNDS = 3
"""How often all is read where something was written meanwhile."""
WAITS, PAUSE = 50, 0.2
"""How often, and with what pauses in seconds, an export looks whether commits are finished."""
LONGEST_S = 3600.0
"""Seconds that one member of the graph may take."""
IN_MEMORY = 1 << 20
BLOCK = 1 << 20
_MANIFEST = TypeAdapter(ArchiveManifest)


@dataclass(frozen=True, slots=True)
class _Mark:
    mark: str
    waiting: bool
    set_aside: bool
    forgetting: bool


@dataclass(frozen=True, slots=True)
class _Slot:
    slot: str
    name: str


class ArchiveExports:
    """Writes archives."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, clock: Clock) -> None:
        self._postgres, self._neo4j, self._objects, self._clock = postgres, neo4j, objects, clock

    async def export(self, user_id: UUID, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Writes the archive of a user to `path`, which it replaces when it is whole. Raises NotFound, InvalidInput where the
        place cannot be written, ArchiveError while commits wait, a forgetting goes on, or writes never pause; StoreUnavailable:
        the same call goes on then."""
        progress = progress or Silent()
        started = monotonic()
        writer = ArchiveWriter(path)
        try:
            user = await self.user(user_id)
            mark = await self._settled(user_id)
            kept = await asyncio.to_thread(writer.begin, mark)
            for _ in range(ROUNDS):
                await _WholeExport(self, writer, user, mark, progress).write()
                now = await self._settled(user_id)
                if now == mark:
                    break
                mark, kept = now, 0
                await asyncio.to_thread(writer.restart)
            else:
                raise ArchiveError(
                    "Something was written each time while the archive was made: try again when writers pause."
                )
            manifest = await self.manifest(user, Principal.user(user_id), writer, whole=True)
            size = await asyncio.to_thread(writer.finish, manifest)
        finally:
            await asyncio.to_thread(writer.close)
        return reported(path, user, writer, size, monotonic() - started, kept)

    async def user(self, user_id: UUID) -> ArchiveUser:
        """Whose archive it is. Raises NotFound."""
        asked = {"user_id": user_id}
        return only(await self._postgres.fetch_as_service(sql_text("archive/user"), asked, row=ArchiveUser))

    async def _settled(self, user_id: UUID) -> str:
        """What changes with every write; waits for commits that are under way. Raises ArchiveError."""
        for _ in range(WAITS):
            asked = {"user_id": user_id}
            [found] = await self._postgres.fetch_as_service(sql_text("archive/mark"), asked, row=_Mark)
            if found.set_aside:
                raise ArchiveError("A commit is set aside: retry or discard it first, see `neurigraph commits list`.")
            if found.forgetting:
                raise ArchiveError("A forgetting goes on: wait until it is done, see `neurigraph forgettings list`.")
            if not found.waiting:
                return found.mark
            await asyncio.sleep(PAUSE)
        raise ArchiveError("Commits are not finished: try again when writers pause.")

    async def manifest(
        self,
        user: ArchiveUser,
        principal: Principal,
        writer: ArchiveWriter,
        *,
        whole: bool,
        part: ArchivePart | None = None,
    ) -> bytes:
        """The manifest as JSON."""
        return _MANIFEST.dump_json(
            ArchiveManifest(
                format=FORMAT,
                version=VERSION,
                made_by=f"neurigraph {version('neurigraph')}",
                made_at=self._clock.now(),
                principal=principal.name,
                whole=whole,
                user=user,
                migrations=await self.migrations(),
                embeddings=await self.embeddings(),
                members=writer.members,
                missing=tuple(writer.missing),
                part=part,
            ),
            indent=1,
        )

    async def migrations(self) -> dict[str, int]:
        """The newest migration of each database."""
        [postgres] = await self._postgres.fetch_as_service(sql_text("archive/migrations"), row=int)
        [graph] = await self._neo4j.read(cypher("archive/migration"), row=int)
        return {"postgres": postgres, "neo4j": graph}

    async def embeddings(self) -> dict[str, str]:
        """The embedding version of each slot."""
        found = await self._postgres.fetch_as_service(sql_text("archive/embeddings"), row=_Slot)
        return {one.slot: one.name for one in found}

    async def explained(self) -> bytes:
        """What the columns of each member are for."""
        return await explained(self._postgres)

    async def write_object(self, writer: ArchiveWriter, one: ArchivedObject, name: str, key: str) -> None:
        """Writes the bytes of a file as they came in, as a member; one that is lost or damaged is noted by its key."""
        if name in writer.members or key in writer.missing:
            return
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as ready:
            try:
                await restore(self._objects, one.object_key, ready, packed=one.packed, sha256=one.sha256)
            except DamagedFile:
                writer.missing.append(key)
                return
            ready.seek(0)
            await asyncio.to_thread(_copy, ready, writer, name, deflated=one.packed)

    def rows(self, principal: Principal) -> ArchiveRows:
        return ArchiveRows(self._postgres, principal)

    @property
    def neo4j(self) -> Neo4j:
        return self._neo4j


class _WholeExport:
    """One writing of all members but the manifest; those that are there are passed over."""

    def __init__(
        self, exports: ArchiveExports, writer: ArchiveWriter, user: ArchiveUser, mark: str, progress: Progress
    ) -> None:
        self._exports, self._writer, self._user = exports, writer, user
        self._mark, self._progress = mark, progress
        self._rows = exports.rows(Principal.user(user.user_id))

    async def write(self) -> None:
        held = catalogue()
        self._progress.start("archive", None, "lines")
        for member in held.rows:
            await self._table(member, member.file, computed=False)
            if member.apart:
                await self._table(member, member.computed_file, computed=True)
        for element in held.elements:
            await self._elements(element)
        for link in held.links:
            await self._links(link)
        await self._whole(COLUMNS, await self._exports.explained())
        await self._whole(READ_ME, READ_ME_TEXT.encode())
        self._progress.finish("archive")
        self._progress.start("archived files", None, "files")
        async for one in self._rows.objects():
            name = member_of(one.object_key, packed=one.packed)
            await self._exports.write_object(self._writer, one, name, one.object_key)
            await asyncio.to_thread(self._writer.checkpoint, self._mark, always=False)
            self._progress.advance("archived files")
        self._progress.finish("archived files")

    async def _table(self, member: RowMember, file: str, *, computed: bool) -> None:
        if file in self._writer.members:
            return
        with self._writer.member(file) as target:
            async for lines in self._rows.member(member, computed=computed):
                await asyncio.to_thread(target.write, lines.content, lines.number)
                self._progress.advance("archive", lines.number)
        await asyncio.to_thread(self._writer.checkpoint, self._mark)

    async def _elements(self, member: ElementMember) -> None:
        asked = {"label": member.label}
        await self._graph(member.file, "archive/elements", asked, lambda row: {"labels": row[0], **plain(row[1])})

    async def _links(self, member: LinkMember) -> None:
        own = not member.has
        asked = {"source": member.source, "target": member.target, "types": list(member.types) if own else None}
        asked |= {"has": member.has or None, "lacks": member.lacks or None}
        if member.types == ("WAS_RELATED",):
            asked["types"] = list(member.types)
        await self._graph(
            member.file,
            "archive/links",
            asked,
            lambda row: {"type": row[0], "from": row[1], "to": row[2], "properties": plain(row[3])},
        )

    async def _graph(self, file: str, statement: str, asked: dict[str, Any], shown: Any) -> None:
        if file in self._writer.members:
            return
        user_id = str(self._user.user_id)
        with self._writer.member(file) as target:
            async for rows in self._exports.neo4j.stream(cypher(statement), LONGEST_S, user_id=user_id, **asked):
                content = b"".join(orjson.dumps(shown(row), option=orjson.OPT_APPEND_NEWLINE) for row in rows)
                await asyncio.to_thread(target.write, content, len(rows))
                self._progress.advance("archive", len(rows))
        await asyncio.to_thread(self._writer.checkpoint, self._mark)

    async def _whole(self, file: str, content: bytes) -> None:
        if file not in self._writer.members:
            with self._writer.member(file) as target:
                target.write(content)


def _copy(source: Any, writer: ArchiveWriter, name: str, *, deflated: bool) -> None:
    with writer.member(name, deflated=deflated) as target:
        while block := source.read(BLOCK):
            target.write(block)


def reported(
    path: Path, user: ArchiveUser, writer: ArchiveWriter, size: int, seconds: float, kept: int
) -> ArchiveReport:
    """What is said of an archive that was written."""
    lines = {Path(name).stem: one.lines for name, one in writer.members.items() if name in catalogue().files}
    files = sum(name.startswith("files/") for name in writer.members)
    counts = {**{name: number for name, number in lines.items() if number}, "files in all": files}
    return ArchiveReport(path, user.user_id, user.handle, counts, size, seconds, kept, len(writer.missing))

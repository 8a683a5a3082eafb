"""Imports of archives: a user as it was, with all ids and both clocks. Rows and nodes of the graph are entered as they were, so
that the past is the past; where the vectors of the archive are of a model that is not used here, a job makes them anew.

First the archive is checked whole. Then files are put and the graph is made, which no read returns: the user is not in Postgres.
One transaction of Postgres enters all rows, and with it the user is there. What an import that fails has made is removed at once,
or after a kill by the next import.
"""

from __future__ import annotations

import asyncio
import gzip
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

from engine.archive.catalogue import COMPUTED, RowMember, catalogue
from engine.archive.exporting import ArchiveExports
from engine.archive.graph import ArchiveGraph, Slots, batches, remove
from engine.archive.reading import ArchiveReader, Line, member_of
from engine.archive.rows import TableColumns
from engine.commit.outbox import StepHook, no_step
from engine.commit.rows import due
from engine.domain.archive import ArchiveManifest, ArchiveReport
from engine.domain.names import look_alike_key
from engine.errors import (
    ArchiveDamaged,
    ArchiveError,
    ArchiveOfOtherRelease,
    Conflict,
    Forgotten,
    NeurigraphError,
    WritingStopped,
)
from engine.progress import Progress, Silent
from engine.stores.limited import STORE
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, is_ours
from engine.stores.postgres import Connection, Postgres, json_rows
from engine.stores.rows import only
from engine.stores.statements import sql_of, sql_text

LONGEST_S = 24 * 3600.0
IN_MEMORY = 1 << 20
BLOCK = 1 << 20
COLUMNS = {"a": "embedding", "b": "embedding_b"}
"""The columns of vectors by their slots."""
TOKENS = {"embedding": "tokens", "embedding_b": "tokens_b"}


@dataclass(frozen=True, slots=True)
class _Taken:
    what: str
    name: str


@dataclass
class _Known:
    """What rows may refer to: only what the archive itself brings."""

    nodes: dict[str, str] = field(default_factory=dict)
    """The schema of each node."""
    retractions: set[str] = field(default_factory=set)
    forgettings: set[str] = field(default_factory=set)
    archived: list[Line] = field(default_factory=list)


class ArchiveImports:
    """Imports archives into the workspace of this installation."""

    def __init__(
        self,
        stores: tuple[Postgres, Neo4j, ObjectStore],
        exports: ArchiveExports,
        workspace: str,
        on_step: StepHook = no_step,
    ) -> None:
        self._postgres, self._neo4j, self._objects = stores
        self._exports, self._workspace, self._on_step = exports, workspace, on_step

    async def check(self, path: Path, progress: Progress | None = None) -> ArchiveManifest:
        """The manifest of an archive all of whose bytes are as they were written. Raises InvalidInput, ArchiveDamaged,
        ArchiveOfOtherRelease."""
        async with _opened(path) as reader:
            await self._checked(reader, progress or Silent())
            return reader.manifest

    async def restore(self, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Makes the user of an archive. Raises InvalidInput where it cannot be read, ArchiveDamaged, ArchiveOfOtherRelease,
        ArchiveError for one that is not whole, Conflict where the user or one of that handle is there already or is being
        imported; Forgotten where the user was forgotten here; WritingStopped, StoreUnavailable. Nothing is imported then."""
        progress, started = progress or Silent(), monotonic()
        async with _opened(path) as reader:
            await self._checked(reader, progress)
            manifest = reader.manifest
            if not manifest.whole:
                of = "a part of its user" if manifest.part else "what a reader saw, not all of its user"
                raise ArchiveError(f"The archive holds {of}: it can be read, not imported.")
            if manifest.migrations != await self._exports.migrations():
                raise ArchiveOfOtherRelease(
                    f"The archive was made by {manifest.made_by}, whose tables differ from those of this release:"
                    " import it with that release, then upgrade."
                )
            async with self._alone(manifest.user.user_id):
                slots = await self._slots(manifest)
                restoring = _Restoring(self._postgres, self._objects, reader, slots, self._workspace)
                await restoring.refuse_taken()
                await remove(self._neo4j, manifest.user.user_id)
                progress.start(
                    "import", sum(one.lines for name, one in manifest.members.items() if COMPUTED not in name), "lines"
                )
                advanced = partial(progress.advance, "import")
                try:
                    await restoring.put_files()
                    self._on_step("files_put")
                    await ArchiveGraph(self._neo4j, reader, slots).make(advanced)
                    self._on_step("graph_made")
                    again = await restoring.enter(advanced, self._on_step)
                except BaseException:
                    await self._taken_back(restoring)
                    raise
                progress.finish("import")
        return _report(path, manifest, monotonic() - started, again)

    async def _checked(self, reader: ArchiveReader, progress: Progress) -> None:
        progress.start("check", reader.unpacked, "bytes")
        await asyncio.to_thread(reader.check, lambda number: progress.advance("check", number))
        progress.finish("check")

    @asynccontextmanager
    async def _alone(self, user_id: UUID) -> AsyncIterator[None]:
        """No other process imports this user meanwhile. Raises Conflict."""
        asked = {"user_id": user_id}
        async with self._postgres.alone(LONGEST_S) as connection:
            if not only(await connection.fetch(sql_text("archive/import_lock"), asked, row=bool)):
                raise Conflict("This user is being imported by another process.")
            try:
                yield
            finally:
                with suppress(NeurigraphError):
                    await connection.execute(sql_text("archive/import_unlock"), asked)

    async def _slots(self, manifest: ArchiveManifest) -> Slots:
        """Of the embedding versions of the archive those that are used here, with the columns of their vectors here."""
        here = await self._exports.embeddings()
        return {name: COLUMNS[slot] for slot, name in here.items() if name in manifest.embeddings.values()}

    async def _taken_back(self, restoring: _Restoring) -> None:
        """Takes back what was made; whatever cannot be reached now is taken back by the next import."""
        with suppress(NeurigraphError):
            if await restoring.is_there():  # the transaction was accepted, but its answer did not come
                return
            await remove(self._neo4j, restoring.user_id)
            await restoring.take_files()


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[ArchiveReader]:
    reader = await asyncio.to_thread(ArchiveReader, path)
    try:
        yield reader
    finally:
        await asyncio.to_thread(reader.close)


class _Restoring:
    """The import of one archive: its files, and its rows."""

    def __init__(
        self, postgres: Postgres, objects: ObjectStore, reader: ArchiveReader, slots: Slots, workspace: str
    ) -> None:
        self._postgres, self._objects, self._reader = postgres, objects, reader
        self._slots, self._workspace = slots, workspace
        self._user = reader.manifest.user
        self._columns = TableColumns(postgres)
        self._known = _Known()
        self._put: dict[str, int] = {}
        self._space: UUID | None = None
        self._lacking = False

    @property
    def user_id(self) -> UUID:
        return self._user.user_id

    # before --------------------------------------------------------------------------------------------------

    async def refuse_taken(self) -> None:
        """Raises Conflict where the user, one of that handle, or one of the schemas is there; ArchiveDamaged for a wrong node."""
        [nodes] = [one for one in catalogue().rows if one.name == "nodes"]
        async for batch in batches(self._reader.batches(nodes.file)):
            for line in batch:
                self._note_node(line)
        if str(self.user_id) not in self._known.nodes:
            raise ArchiveDamaged("nodes.jsonl has no root.")
        for one in await self._taken():
            if (
                one.what == "stopped"
            ):  # a store may be older: what the graph has of this user is then no rest of an import
                raise WritingStopped(STORE, one.name)
            if one.what == "forgotten":
                raise Forgotten(
                    "This user was forgotten here: an archive of before does not bring a user back. Nothing was imported."
                )
            said = {
                "user": f"The user of this archive is here already, with the handle {one.name}.",
                "handle": f"The workspace has another user whose handle is the same or looks the same: {one.name}.",
                "schema": f"A schema of this name is here already: {one.name}.",
            }
            raise Conflict(f"{said[one.what]} Nothing was imported.")

    def _note_node(self, line: Line) -> None:
        try:
            self._known.nodes[str(UUID(line["node_id"]))] = line["schema_name"]
            self._known.archived.append({name: line[name] for name in ("node_id", "archived", "archivings")})
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ArchiveDamaged("A line of nodes.jsonl is not as it has to be.") from error

    async def _taken(self) -> list[_Taken]:
        asked = {"user_id": self.user_id, "workspace": self._workspace, "handle": self._user.handle}
        asked |= {"handle_key": look_alike_key(self._user.handle), "schemas": list(self._known.nodes.values())}
        return await self._postgres.fetch_as_service(sql_text("archive/taken"), asked, row=_Taken)

    async def is_there(self) -> bool:
        """Whether Postgres knows the user."""
        return any(one.what == "user" for one in await self._taken())

    # files ---------------------------------------------------------------------------------------------------

    async def put_files(self) -> None:
        """Puts the files that the rows name. Raises ArchiveDamaged for one that is neither there nor noted as lost."""
        for file, key, (column, packed) in (
            ("files.jsonl", "storage_path", ("compression_format", "gzip")),
            ("inputs.jsonl", "object_key", ("packed", True)),
        ):
            async for batch in batches(self._reader.batches(file)):
                for line in batch:
                    await self._put_file(line[key], packed=line[column] == packed)

    async def _put_file(self, key: str, *, packed: bool) -> None:
        if key in self._put or key in self._reader.manifest.missing:
            return
        root = self._user.root_schema
        if not is_ours(key) or not key.startswith(f"{root}/") or self._known.nodes[str(self.user_id)] != root:
            raise ArchiveDamaged(f"A file has the key {key[:200]!r}, which is none of its user.")
        name = member_of(key, packed=packed)
        if not self._reader.has(name):
            raise ArchiveDamaged(f"{name} is missing.")
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as ready:
            await asyncio.to_thread(self._pack, name, ready, packed=packed)
            ready.seek(0)
            self._put[key] = 0
            self._put[key] = await self._objects.put(key, ready)

    def _pack(self, name: str, target: Any, *, packed: bool) -> None:
        with self._reader.open(name) as source:
            if not packed:
                shutil.copyfileobj(source, target, BLOCK)
                return
            with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=6, mtime=0) as packer:
                shutil.copyfileobj(source, packer, BLOCK)

    async def take_files(self) -> None:
        """Deletes the files that were put."""
        for key in self._put:
            await self._objects.delete(key)

    # rows ----------------------------------------------------------------------------------------------------

    async def enter(self, advanced: Callable[[int], None], on_step: StepHook) -> tuple[str, ...]:
        """Enters all rows in one transaction, with which the user is there. What a job makes anew. Raises ArchiveDamaged,
        Conflict where a row is there already."""
        async with self._postgres.as_service() as connection:
            user = {"user_id": self.user_id, "workspace": self._workspace, "handle": self._user.handle}
            user |= {"handle_key": look_alike_key(self._user.handle), "display_name": self._user.display_name}
            user |= {"created_at": self._user.created_at}
            [self._space] = await connection.fetch(sql_text("archive/import_user"), user, row=UUID)
            for member in catalogue().rows:
                await self._member(connection, member, advanced)
            await connection.execute(sql_text("archive/import_archivings"), {"rows": json_rows(self._known.archived)})
            again = ("centroids", "vectors") if self._lacking else ("centroids",)
            nodes = sorted(map(UUID, self._known.nodes))
            for one in again:
                await due.note(connection, one, nodes)
            on_step("rows_entered")
        return again

    async def _member(self, connection: Connection, member: RowMember, advanced: Callable[[int], None]) -> None:
        made = (
            self._reader.joined(member.file, member.computed_file, member.key, lines=member.page)
            if member.apart
            else self._reader.batches(member.file, lines=member.page)
        )
        known = await self._columns.of(member)
        async for batch in batches(made):
            try:
                rows = [self._row(member, line) for line in batch]
            except (KeyError, ValueError, TypeError, AttributeError) as error:
                raise ArchiveDamaged(f"A line of {member.file} is not as it has to be.") from error
            if member.name == "integrations":
                asked = {"workspace_id": self._space, "rows": json_rows(rows)}
                await connection.execute(sql_text("archive/import_integrations"), asked)
            elif member.of_nodes:
                await self._of_nodes(connection, member, known, rows)
            else:
                await _entered(connection, "engine", member, known, rows)
            if member.name == "nodes":
                for row in rows:
                    asked = {"node_id": row["node_id"], "schema": row["schema_name"]}
                    await connection.execute(sql_text("archive/import_schema"), asked)
            advanced(len(batch))

    async def _of_nodes(
        self, connection: Connection, member: RowMember, known: tuple[str, ...], rows: list[Line]
    ) -> None:
        by_schema: dict[str, list[Line]] = {}
        for row in rows:
            by_schema.setdefault(self._known.nodes[row.pop("node_id")], []).append(row)
        for schema, there in by_schema.items():
            await _entered(connection, schema, member, known, there)

    def _row(self, member: RowMember, line: Line) -> Line:
        """The row as it is entered: of this user, of this workspace, and of what the archive itself brings."""
        if "user_id" in line:
            line["user_id"] = str(self.user_id)
        if "workspace_id" in line:
            line["workspace_id"] = str(self._space)
        for column in ("node_id", "moved_from"):
            if line.get(column) is not None and str(line[column]) not in self._known.nodes:
                raise ValueError(column)
        self._note_or_require(member, line)
        if member.name == "commits" and line["state"] != "done":
            raise ValueError(line["state"])  # it would be applied to the graph, whatever it says
        if member.name == "nodes":
            line |= {"archived": False, "archivings": []}
        elif member.name == "files" and line["storage_path"] in self._put:
            line["stored_bytes"] = self._put[line["storage_path"]]
        if "embedding" in member.apart:
            self._place_vectors(member, line)
        return line

    def _note_or_require(self, member: RowMember, line: Line) -> None:
        for column, known in (("retraction_id", self._known.retractions), ("forgetting_id", self._known.forgettings)):
            if column not in line:
                continue
            if member.name in ("retractions", "forgettings"):
                known.add(line[column])
            elif line[column] not in known:
                raise ValueError(column)

    def _place_vectors(self, member: RowMember, line: Line) -> None:
        """Vectors in the slots that are theirs here; those of a model that is not used here are left out."""
        held = {column: line.pop(column) for column in COLUMNS.values()}
        tokens = {column: line.pop(name, None) for column, name in TOKENS.items()}
        versions = {column: line.pop(f"{column}_version") for column in held}
        for column in held:
            line |= {column: None, f"{column}_version": None}
            if "tokens" in member.apart:
                line[TOKENS[column]] = None
        for column, vector in held.items():
            place = self._slots.get(str(versions[column]))
            if vector is None:
                continue
            if place is None:
                self._lacking = True
                continue
            line |= {place: vector, f"{place}_version": versions[column]}
            if "tokens" in member.apart:
                line[TOKENS[place]] = tokens[column]


async def _entered(
    connection: Connection, schema: str, member: RowMember, known: tuple[str, ...], rows: list[Line]
) -> None:
    columns = [column for column in known if column in rows[0]]
    statement = sql_of("archive/import_rows", schema=schema, table=member.table, columns=columns)
    await connection.execute(statement, {"rows": json_rows(rows)})


def _report(path: Path, manifest: ArchiveManifest, seconds: float, again: tuple[str, ...]) -> ArchiveReport:
    lines = {Path(name).stem: one.lines for name, one in manifest.members.items() if one.lines}
    counts = {**lines, "files in all": sum(name.startswith("files/") for name in manifest.members)}
    user = manifest.user
    size = path.stat().st_size
    missing = len(manifest.missing)
    return ArchiveReport(path, user.user_id, user.handle, counts, size, seconds, missing=missing, derived_again=again)

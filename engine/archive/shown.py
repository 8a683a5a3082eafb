"""Archives of what a reader other than the owner may read: nodes, records, items, files and edges, as the databases give them to
that reader. Nothing of the graph is read by the service. They can be read, not imported.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import monotonic

import orjson

from engine.archive.catalogue import RowMember, catalogue
from engine.archive.explained import READ_ME_TEXT
from engine.archive.exporting import ArchiveExports, reported
from engine.archive.reading import FILES
from engine.archive.rows import ArchivedObject, ArchiveRows, Lines
from engine.archive.writing import ArchiveWriter
from engine.domain.archive import COLUMNS, READ_ME, ArchiveReport, ArchiveUser
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.domain.shown import rendered
from engine.errors import NotFound
from engine.hierarchy.shells import Shells
from engine.lifecycle.resources import FileParts
from engine.progress import Progress, Silent
from engine.stores.postgres import Postgres

EDGES = "graph/edges.jsonl"
PAGE = 200


class ShownExports:
    """Writes archives for readers."""

    def __init__(self, exports: ArchiveExports, postgres: Postgres, shells: Shells, clock: Clock) -> None:
        self._exports, self._shells, self._clock = exports, shells, clock
        self._parts = FileParts(postgres)

    async def export(self, principal: Principal, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Writes what the principal may read now to `path`; it is written anew each time. Raises NotFound where that is nothing,
        InvalidInput where the place cannot be written, StoreUnavailable."""
        progress, started = progress or Silent(), monotonic()
        rows = self._exports.rows(principal)
        nodes = {str(node.node_id) async for node in rows.nodes()}
        if not nodes:
            raise NotFound
        user = ArchiveUser(principal.user_id, "", "", self._clock.now(), "")  # its names are not for every reader
        writer = ArchiveWriter(path)
        try:
            await asyncio.to_thread(writer.begin, "")
            await asyncio.to_thread(writer.restart)
            progress.start("archive", None, "lines")
            for member in catalogue().rows:
                if member.shown:
                    await self._rows(writer, rows, member, nodes, progress)
            await self._edges(writer, principal)
            async for one in rows.objects():
                await self._file(writer, principal, one)
            for name, content in ((COLUMNS, await self._exports.explained()), (READ_ME, READ_ME_TEXT.encode())):
                with writer.member(name) as target:
                    target.write(content)
            progress.finish("archive")
            manifest = await self._exports.manifest(user, principal, writer, whole=False)
            size = await asyncio.to_thread(writer.finish, manifest)
        finally:
            await asyncio.to_thread(writer.close)
        return reported(path, user, writer, size, monotonic() - started, 0)

    async def _rows(
        self, writer: ArchiveWriter, rows: ArchiveRows, member: RowMember, nodes: set[str], progress: Progress
    ) -> None:
        with writer.member(member.file) as target:
            async for lines in rows.lines(member, member.shown):
                shown = _below(lines, nodes) if "parent_id" in member.shown else lines
                await asyncio.to_thread(target.write, shown.content, shown.number)
                progress.advance("archive", shown.number)

    async def _edges(self, writer: ArchiveWriter, principal: Principal) -> None:
        after = None
        with writer.member(EDGES) as target:
            while page := await self._shells.edges(principal, after=after, limit=PAGE):
                for one in page:
                    line = {"type": one.edge_type, "from": str(one.source_id), "to": str(one.target_id)}
                    line |= {"edge_id": str(one.edge_id), "from_name": one.source_name, "to_name": one.target_name}
                    target.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE), 1)
                after = page[-1].place

    async def _file(self, writer: ArchiveWriter, principal: Principal, one: ArchivedObject) -> None:
        """The file as it came in; where something of it was changed or ended by hand, what holds of it."""
        name = f"{FILES}{one.file_id}"  # its key has the names of the nodes above
        shown = await self._parts.reworded(principal, one.record_id, one.node_id)
        if not shown:
            await self._exports.write_object(writer, one, name, str(one.file_id))
        elif name not in writer.members:
            with writer.member(name) as target:
                target.write(rendered(shown).encode("utf-8", "replace"))


def _below(lines: Lines, nodes: set[str]) -> Lines:
    """Lines of nodes, each without the node above where that is hidden."""
    found = [orjson.loads(line) for line in lines.content.splitlines()]
    for one in found:
        if one["parent_id"] not in nodes:
            one["parent_id"] = None
    return Lines(b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in found), lines.number)

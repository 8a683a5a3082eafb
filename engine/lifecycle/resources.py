"""Reads of raw resources: the list, and the bytes, which are compared with their hash before they are returned; and files that
are rendered as a text.

Rendered are those that lie at several nodes, for readers other than the user, with the passages of one node; and those of which a
turn or a passage was changed or ended by hand, for everybody, with what holds now. The first's own bytes hold what lies at the
other nodes, so they are opened for the user alone; the second's hold what was corrected, or deleted. Nothing is restored for a
rendered file, and it never sleeps; neither size nor hash of the file is shown.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO
from uuid import UUID

from engine.domain.file_state import FileStatus, RawResource, ResourceContent, ResourceType
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.shown import ShownPassage, changed, rendered
from engine.lifecycle.file_states import restore
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_in, sql_text

PAGE = 500
MEDIA_TYPE = "text/plain; charset=utf-8"
IN_MEMORY = 1 << 20
"""Resources up to this size wait in memory, larger ones in a temporary file."""


@dataclass(frozen=True, slots=True)
class PartFile:
    """A file of which a reader gets the passages at one node, or what holds of them."""

    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    shown: tuple[ShownPassage, ...] = ()
    """What holds and what does not, where a passage was changed by hand; without them the passages of the node."""

    @property
    def status(self) -> FileStatus:
        """Always active: it is rendered when it is asked for."""
        return FileStatus(self.node_id, self.file_id, "active", None, None, by_hand=False, failure=None)


@dataclass(frozen=True, slots=True)
class _Found:
    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class _Passage:
    place: int
    section: str
    content: str


class FileParts:
    """Finds and renders parts of files."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def find(self, principal: Principal, node_id: UUID, schema: str, file_id: UUID) -> PartFile | None:
        """The file where the principal may see a part of it; None where it may see all of it or nothing."""
        parameters = {"node_id": node_id, "file_id": file_id}
        found = await self._postgres.fetch(principal, sql_in("document/part_file", schema), parameters, row=_Found)
        if not found:
            return None
        one = found[0]
        return PartFile(one.node_id, one.file_id, one.record_id, shown_name(one.name, one.title))

    async def reworded(self, principal: Principal, record_id: UUID, node_id: UUID) -> tuple[ShownPassage, ...]:
        """What the input of a record, with the other parts of a document, says now; nothing where that is what came in."""
        parameters = {"record_id": record_id, "node_id": node_id, "parts": True, "now": None}
        found = await self._postgres.fetch(principal, sql_text("record/passages"), parameters, row=ShownPassage)
        return tuple(found) if changed(found) else ()

    async def render(self, principal: Principal, part: PartFile, target: IO[bytes]) -> int:
        """Writes the part to `target`; its first line states what it is. Returns its size in bytes."""
        if part.shown:
            return target.write(rendered(part.shown).encode("utf-8", "replace"))
        size = target.write(f"[Part of {part.name}: only the passages that lie at this node.]\n".encode())
        headings = ""
        async for passage in self._passages(principal, part):
            heading = f"\n# {passage.section}\n" if passage.section != headings and passage.section else ""
            headings = passage.section
            size += target.write(f"{heading}\n{passage.content}\n".encode("utf-8", "replace"))
        return size

    async def _passages(self, principal: Principal, part: PartFile) -> AsyncIterator[_Passage]:
        after = 0
        while True:
            parameters = {"node_id": part.node_id, "file_id": part.file_id, "after": after, "limit": PAGE}
            page = await self._postgres.fetch(principal, sql_text("document/part_passages"), parameters, row=_Passage)
            for passage in page:
                yield passage
            if len(page) < PAGE:
                return
            after = page[-1].place


@dataclass(frozen=True, slots=True)
class _Located:
    record_id: UUID
    node_id: UUID
    object_key: str
    packed: bool
    content_hash: bytes
    file_name: str
    media_type: str
    title: str
    newest: bool

    @property
    def shown_name(self) -> str:
        return shown_name(self.file_name, self.title)


@dataclass(frozen=True, slots=True)
class _Row(RawResource):
    title: str

    @property
    def shown(self) -> RawResource:
        """Of a text without a file name, called as its record is now."""
        fields = {one: getattr(self, one) for one in RawResource.__slots__}
        return RawResource(**fields | {"file_name": shown_name(self.file_name, self.title)})


class RawResources:
    """Raw resources of a graph; for its user alone. They are written with the records that they became."""

    def __init__(self, postgres: Postgres, objects: ObjectStore) -> None:
        self._postgres, self._objects, self._parts = postgres, objects, FileParts(postgres)

    async def page(
        self, principal: Principal, *, content_type: ResourceType | None = None, source_id: str | None = None,
        before: tuple[datetime, UUID] | None = None, limit: int = 100,
    ) -> tuple[RawResource, ...]:  # fmt: skip
        """Raw resources, newest first, one page; `before`: time and id of the last one of the page before."""
        check_page(limit)
        before_time, before_id = before or (None, None)
        parameters = {
            "user_id": principal.user_id,
            "content_type": content_type,
            "source_id": source_id,
            "before_time": before_time,
            "before_id": before_id,
            "limit": limit,
        }
        found = await self._postgres.fetch(principal, sql_text("resource/page"), parameters, row=_Row)
        return tuple(one.shown for one in found)

    async def read(self, principal: Principal, resource_id: UUID) -> bytes:
        """The bytes of a resource as they came in; wakes nothing. Raises NotFound, DamagedFile, StoreUnavailable."""
        return await self._bytes(await self._located(principal, resource_id))

    async def content(self, principal: Principal, resource_id: UUID) -> ResourceContent:
        """The same with the name and media type of its file; where a passage was changed or ended by hand, what holds now."""
        file = await self._located(principal, resource_id)
        shown = await self._parts.reworded(principal, file.record_id, file.node_id) if file.newest else ()
        if shown:
            return ResourceContent(rendered(shown).encode("utf-8", "replace"), file.shown_name, MEDIA_TYPE)
        return ResourceContent(await self._bytes(file), file.shown_name, file.media_type)

    async def _located(self, principal: Principal, resource_id: UUID) -> _Located:
        parameters = {"user_id": principal.user_id, "resource_id": resource_id}
        return only(await self._postgres.fetch(principal, sql_text("resource/locate"), parameters, row=_Located))

    async def _bytes(self, file: _Located) -> bytes:
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as target:
            await restore(self._objects, file.object_key, target, packed=file.packed, sha256=file.content_hash)
            target.seek(0)
            return await asyncio.to_thread(target.read)

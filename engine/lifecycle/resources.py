"""Reads of raw resources: the list, and the bytes, which are compared with their hash before they are returned."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.names import shown_name
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.domain.resource import RawResource, ResourceContent, ResourceType
from engine.domain.shown import rendered
from engine.lifecycle.parts import MEDIA_TYPE, FileParts
from engine.lifecycle.restoration import restore
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

IN_MEMORY = 1 << 20
"""Resources up to this size wait in memory, larger ones in a temporary file."""


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

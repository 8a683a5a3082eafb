"""Reads of documents: the list, their versions, and the passages of any version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.names import shown_name
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.hierarchy.shells import Shells
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_in, sql_text


@dataclass(frozen=True, slots=True)
class VersionPlace:
    """The node and file of a version, its chunks, and those of the newest version."""

    node_id: UUID
    version: int
    file_id: UUID
    chunks: list[UUID]
    newest: list[UUID]


class DocumentReads:
    """Documents of a graph: all of them for its user, its own for a persona."""

    def __init__(self, postgres: Postgres, shells: Shells) -> None:
        self._postgres, self._shells = postgres, shells

    async def page(
        self, principal: Principal, *, after: UUID | None = None, limit: int = 100
    ) -> tuple[StoredDocument, ...]:
        """Documents as they are now, by id, one page; `after` is the last id of the page before."""
        check_page(limit)
        parameters = {"user_id": principal.user_id, "after": after, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("document/page"), parameters, row=StoredDocument)
        return tuple(replace(one, file_name=shown_name(one.file_name, one.title)) for one in found)

    async def versions(
        self, principal: Principal, document_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[DocumentVersion, ...]:
        """Versions of a document, the oldest first, one page. Raises NotFound where there is none such document."""
        check_page(limit)
        await self.place(principal, document_id)
        parameters = {"user_id": principal.user_id, "document_id": document_id, "after": after, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("document/versions"), parameters, row=DocumentVersion)
        return tuple(replace(one, file_name=shown_name(one.file_name, one.title)) for one in found)

    async def place(self, principal: Principal, document_id: UUID, version: int | None = None) -> VersionPlace:
        """Where a version lies; without a version the newest. Raises NotFound."""
        parameters = {"user_id": principal.user_id, "document_id": document_id, "version": version}
        return only(await self._postgres.fetch(principal, sql_text("document/place"), parameters, row=VersionPlace))

    async def chunks(
        self, principal: Principal, document_id: UUID, version: int | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[DocumentChunk, ...]:
        """Passages of a version in their order, one page; `after` is the last index of the page before. Raises NotFound."""
        check_page(limit)
        place = await self.place(principal, document_id, version)
        schema = await self._shells.schema_of(principal, place.node_id)
        wanted = place.chunks[after + 1 : after + 1 + limit]
        parameters = {"items": wanted, "first": after + 1, "newest": place.newest}
        chunks = await self._postgres.fetch(principal, sql_in("document/chunks", schema), parameters, row=DocumentChunk)
        return tuple(chunks)

"""Reads of documents: the list, their versions, and the passages of any version."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.names import shown_name
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.hierarchy.shells import Shells
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text


class Documents:
    """Documents of a graph: all of them for its user, its own for a persona."""

    def __init__(self, postgres: Postgres, shells: Shells) -> None:
        self._postgres, self._shells = postgres, shells

    async def page(
        self, principal: Principal, *, after: UUID | None = None, limit: int = 100
    ) -> tuple[StoredDocument, ...]:
        """Documents as they are now, by id, one page; `after` is the last id of the page before."""
        check_page(limit)
        parameters = {"user_id": principal.user_id, "after": after, "limit": limit}
        rows = await self._postgres.fetch(principal, sql_text("document/page"), parameters)
        return tuple(StoredDocument(**_named(row)) for row in rows)

    async def versions(
        self, principal: Principal, document_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[DocumentVersion, ...]:
        """Versions of a document, the oldest first, one page. Raises NotFound where there is none such document."""
        check_page(limit)
        await self.place(principal, document_id)
        parameters = {"user_id": principal.user_id, "document_id": document_id, "after": after, "limit": limit}
        rows = await self._postgres.fetch(principal, sql_text("document/versions"), parameters)
        return tuple(DocumentVersion(**_named(row)) for row in rows)

    async def place(self, principal: Principal, document_id: UUID, version: int | None = None) -> dict[str, Any]:
        """Where a version lies: node_id, version, file_id, chunks. Without a version the newest. Raises NotFound."""
        parameters = {"user_id": principal.user_id, "document_id": document_id, "version": version}
        rows = await self._postgres.fetch(principal, sql_text("document/place"), parameters)
        if not rows:
            raise NotFound
        return rows[0]

    async def chunks(
        self, principal: Principal, document_id: UUID, version: int | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[DocumentChunk, ...]:
        """Passages of a version in their order, one page; `after` is the last index of the page before. Raises NotFound."""
        check_page(limit)
        place = await self.place(principal, document_id, version)
        schema = await self._shells.schema_of(principal, place["node_id"])
        wanted = place["chunks"][after + 1 : after + 1 + limit]
        rows = await self._postgres.fetch(principal, sql_in("document/chunks", schema), {"items": wanted})
        by_id = {row["item_id"]: row for row in rows}
        newest = set(place["newest"])
        return tuple(
            _chunk(by_id[item_id], index, superseded=item_id not in newest)
            for index, item_id in enumerate(wanted, after + 1)
            if item_id in by_id
        )


def _chunk(row: dict[str, Any], index: int, *, superseded: bool) -> DocumentChunk:
    start, end = row.pop("span_start"), row.pop("span_end")
    span = None if superseded or start is None else (start, end)
    return DocumentChunk(**row, index=index, span=span, superseded=superseded)


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"file_name": shown_name(row["file_name"], row["title"])}

"""The documents of a memory: their versions, the text of each, their passages."""

from __future__ import annotations

from uuid import UUID

from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.operations.files import Files


class KeptDocuments(Files):
    """What was stored as a text or a file, version by version. A persona sees what it stored itself."""

    async def documents(self, *, after: UUID | None = None, limit: int = 100) -> tuple[StoredDocument, ...]:
        """Documents as they are now, by id, one page; `after` is the last id of the page before."""
        return await self._parts.documents.page(self.principal, after=after, limit=limit)

    async def document_versions(
        self, document_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[DocumentVersion, ...]:
        """Versions of a document, the oldest first, one page; `after` is the last of the page before. Raises NotFound."""
        async with self._reading("document", document_id):
            return await self._parts.documents.versions(self.principal, document_id, after=after, limit=limit)

    async def document_chunks(
        self, document_id: UUID, version: int | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[DocumentChunk, ...]:
        """Passages of a version (None: the newest) in their order, one page; `after` is the last index. Raises NotFound."""
        async with self._reading("document", document_id):
            return await self._parts.documents.chunks(self.principal, document_id, version, after=after, limit=limit)

    async def read_document(self, document_id: UUID, version: int | None = None) -> bytes:
        """The file of a version (None: the newest) as it was stored, verified. Raises NotFound."""
        async with self._reading("document", document_id):
            place = await self._parts.documents.place(self.principal, document_id, version)
        return await self.read_file(place.node_id, place.file_id)

"""The documents of a memory: their versions, the text of each, their passages."""

from __future__ import annotations

from uuid import UUID

from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.history.reading import DocumentReads
from engine.operations.caller import members
from engine.operations.declaring import OfGraph, reads
from engine.operations.files import Files
from engine.operations.parts import Part


class Documents(OfGraph, name="documents"):
    """What was stored as a text or a file, version by version. A persona sees what it stored itself."""

    _documents = Part(DocumentReads)

    @reads(members)
    async def list(self, *, after: UUID | None = None, limit: int = 100) -> tuple[StoredDocument, ...]:
        """Documents as they are now, by id, one page; `after` is the last id of the page before."""
        return await self._documents.page(self._principal, after=after, limit=limit)

    @reads(members, at="document_id", refusal="document")
    async def versions(self, document_id: UUID, *, after: int = 0, limit: int = 100) -> tuple[DocumentVersion, ...]:
        """Versions of a document, the oldest first, one page; `after` is the last of the page before. Raises NotFound."""
        return await self._documents.versions(self._principal, document_id, after=after, limit=limit)

    @reads(members, at="document_id", refusal="document")
    async def chunks(
        self, document_id: UUID, version: int | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[DocumentChunk, ...]:
        """Passages of a version (None: the newest) in their order, one page; `after` is the last index. Raises NotFound."""
        return await self._documents.chunks(self._principal, document_id, version, after=after, limit=limit)

    @reads(members, limited=False)
    async def read(self, document_id: UUID, version: int | None = None) -> bytes:
        """The file of a version (None: the newest) as it was stored, verified. Raises NotFound."""
        async with self.caller.around("document", document_id, limited=True):
            place = await self._documents.place(self._principal, document_id, version)
        return await Files(self.caller).read(place.node_id, place.file_id)

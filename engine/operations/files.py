"""The files of a memory: opening them, their states, waking them and putting them to sleep; its documents: their versions, the
text of each, their passages; and its raw inputs: immutable, as they were received.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.file_state import FileStatus, OpenedFile, RawResource, ResourceContent, ResourceType, StateEntry
from engine.history.reading import DocumentReads
from engine.lifecycle.file_states import Dormancy, FileLog
from engine.lifecycle.rehydrate import Rehydration
from engine.lifecycle.resources import RawResources
from engine.operations import redactions
from engine.operations.caller import Part, members, owner, readers
from engine.operations.declaring import OfGraph, opens, reads, writes


class Files(OfGraph, name="files"):
    """Phase two of a retrieval: identified files, and only those."""

    _dormancy = Part(Dormancy)
    _file_log = Part(FileLog)
    _rehydration = Part(Rehydration)

    @opens(readers, at="node_id", refusal="file")
    async def open(self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None) -> AsyncIterator[OpenedFile]:
        """This one file, restored and verified. See `Rehydration.opened`."""
        async with self._rehydration.opened(self._principal, node_id, file_id, wait_s) as file:
            yield file

    @reads(readers, at="node_id", limited=False)
    async def read(self, node_id: UUID, file_id: UUID) -> bytes:
        """The whole content of a file; for files that fit in memory."""
        async with self.open(node_id, file_id) as file:
            return await asyncio.to_thread(file.content.read)

    @reads(readers, at="node_id", refusal="file state")
    async def state(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Whether a file sleeps, is awake, or is being restored; wakes nothing. Raises NotFound."""
        return await self._rehydration.status(self._principal, node_id, file_id)

    @reads(readers, at="node_id", refusal="wake", limited=False)
    async def wake(self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None) -> FileStatus:
        """Wakes a file and keeps it awake, see `Rehydration.wake`."""
        return await self._rehydration.wake(self._principal, node_id, file_id, wait_s)

    @writes(members, at="node_id", refusal="sleep")
    async def sleep(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Puts a file to sleep, see `Dormancy.sleep`."""
        return await self._dormancy.sleep(self._principal, node_id, file_id)

    @reads(owner)
    async def log(
        self, *, node_id: UUID | None = None, file_id: UUID | None = None, to_review: bool = False,
        before: int | None = None, limit: int = 100,
    ) -> tuple[StateEntry, ...]:  # fmt: skip
        """Transitions of the states of files, newest first, one page. See `FileLog.page`."""
        return await self._file_log.page(
            self._principal, node_id=node_id, file_id=file_id, to_review=to_review, before=before, limit=limit
        )

    @writes(owner, redacts={"text": redactions.note})
    async def review(self, entry_id: int, text: str = "") -> int:
        """Marks a failed entry as reviewed; returns the new entry's id, the same when repeated. Raises NotFound, InvalidInput."""
        return await self._file_log.review(self._principal, entry_id, text)


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


class Resources(OfGraph, name="resources"):
    """Everything that was stored, as it was received; for the user of the graph alone."""

    _resources = Part(RawResources)

    @reads(owner)
    async def list(
        self,
        *,
        content_type: ResourceType | None = None,
        source_id: str | None = None,
        before: tuple[datetime, UUID] | None = None,
        limit: int = 100,
    ) -> tuple[RawResource, ...]:
        """What came in, newest first, one page; `before`: time and id of the last one of the page before."""
        return await self._resources.page(
            self._principal, content_type=content_type, source_id=source_id, before=before, limit=limit
        )

    @reads(owner, at="resource_id", refusal="resource", limited=False)
    async def content(self, resource_id: UUID) -> ResourceContent:
        """The bytes of a resource, verified, with the name and media type of its file. Raises NotFound, DamagedFile."""
        return await self._resources.content(self._principal, resource_id)

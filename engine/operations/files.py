"""The files of a memory: opening them, their states, waking them and putting them to sleep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

from engine.domain.file_state import FileStatus, OpenedFile, StateEntry
from engine.lifecycle.file_states import Dormancy, FileLog
from engine.lifecycle.rehydrate import Rehydration
from engine.operations import redactions
from engine.operations.caller import members, owner, readers
from engine.operations.declaring import OfGraph, opens, reads, writes
from engine.operations.parts import Part


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

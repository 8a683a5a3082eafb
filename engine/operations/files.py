"""The files of a memory: opening them, their states, waking them and putting them to sleep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import UUID

from engine.domain.file_state import FileStatus
from engine.lifecycle.file_log import FileLog
from engine.lifecycle.rehydrate import OpenedFile
from engine.operations.asking import Asking


class Files(Asking):
    """Phase two of a retrieval: identified files, and only those."""

    @asynccontextmanager
    async def open_file(
        self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None
    ) -> AsyncIterator[OpenedFile]:
        """Phase two: this one file, restored and verified. See `Rehydration.opened`."""
        async with AsyncExitStack() as opening:
            async with self._noting("file", node_id):  # not around the reader, whose own errors are no refusals
                opened = self._parts.rehydration.opened(self.principal, node_id, file_id, wait_s)
                file = await opening.enter_async_context(opened)
            yield file

    async def read_file(self, node_id: UUID, file_id: UUID) -> bytes:
        """The whole content of a file; for files that fit in memory."""
        async with self.open_file(node_id, file_id) as file:
            return await asyncio.to_thread(file.content.read)

    async def file_state(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Whether a file sleeps, is awake, or is being restored; wakes nothing. Raises NotFound."""
        async with self._noting("file state", node_id):
            return await self._parts.rehydration.status(self.principal, node_id, file_id)

    async def wake(self, node_id: UUID, file_id: UUID, *, wait_s: float | None = None) -> FileStatus:
        """Wakes a file and keeps it awake, see `Rehydration.wake`."""
        async with self._noting("wake", node_id):
            return await self._parts.rehydration.wake(self.principal, node_id, file_id, wait_s)

    async def sleep(self, node_id: UUID, file_id: UUID) -> FileStatus:
        """Puts a file to sleep, see `Dormancy.sleep`."""
        async with self._noting("sleep", node_id):
            return await self._parts.dormancy.sleep(self.principal, node_id, file_id)

    @property
    def file_log(self) -> FileLog:
        """The log of the states of files, and its entries that need a review."""
        return self._parts.file_log

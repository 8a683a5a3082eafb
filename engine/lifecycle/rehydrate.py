"""Waking files: one restoration serves all waiting readers, and only identified files are opened.

The first reader of a dormant file claims it in Postgres and restores it in a task of its own, which goes on when the reader
leaves. Readers of the same process wait for that task, those of other processes poll the claim. A claim whose holder died
is taken over after its timeout. Then each reader is served from the copy, and the bytes are compared with the hash again.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO
from uuid import UUID

from engine.commit.outbox import StepHook
from engine.domain.file_state import FileStatus, OpenedFile
from engine.domain.names import shown_name
from engine.domain.principal import Principal
from engine.errors import DamagedFile, NeurigraphError, NotFound, Rehydrating, StoreFull, StoreUnavailable
from engine.hierarchy.shells import Shells
from engine.lifecycle.file_states import FileClaim, FileStates, ManifestFile, NodeStates, copy_key, restore
from engine.lifecycle.resources import MEDIA_TYPE, FileParts, PartFile
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in
from engine.telemetry.metrics import FILE_READS

IN_MEMORY = 1 << 20
"""Files up to this size wait in memory for their reader, larger ones in a temporary file."""
AT_ONCE = 8
"""Files that one process restores at the same time."""
LOOKS = (0.02, 0.5)
"""Seconds between two polls of another process's restoration: at first, and at most; each pause is twice the last."""
MOMENT = 0.1
"""Seconds after which a running restoration is shown in the graph; most end before."""
CLOSING = 5.0
"""Seconds that restorations are given when the engine closes."""
TRIES = 3
"""Attempts of a reader to get another copy when one vanished while it was read."""


@dataclass(frozen=True, slots=True)
class _Located(ManifestFile):
    title: str
    changed: bool
    """Whether it is the newest file of its record, and a passage may say something else."""


class Rehydration:
    """Wakes files and reads them."""

    def __init__(
        self,
        postgres: Postgres,
        objects: ObjectStore,
        shells: Shells,
        states: FileStates,
        nodes: NodeStates,
        reached: StepHook,
    ) -> None:
        self._postgres, self._objects, self._shells = postgres, objects, shells
        self._states, self._nodes, self._reached = states, nodes, reached
        self._parts = FileParts(postgres)
        self._running: dict[UUID, asyncio.Task[None]] = {}
        self._showing: dict[UUID, asyncio.Task[None]] = {}
        self._at_once = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Waits a moment for running restorations, then cancels them; the next reader of a file takes its restoration over."""
        tasks = [*self._running.values(), *self._showing.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSING)
        tasks = [*self._running.values(), *self._showing.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def opened(
        self, principal: Principal, node_id: UUID, file_id: UUID, wait_s: float | None = None
    ) -> AsyncIterator[OpenedFile]:
        """The file, verified; awake for a while. Waits at most `wait_s` seconds for its restoration (None: the setting).

        Raises NotFound, Rehydrating (the restoration goes on), DamagedFile (nothing is returned), StoreUnavailable.
        """
        file = await self._rendered(principal, await self._located(principal, node_id, file_id))
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as target:
            if isinstance(file, PartFile):
                size = await self._parts.render(principal, file, target)
                target.seek(0)
                yield OpenedFile(file_id, file.record_id, file.name, MEDIA_TYPE, size, target, part=True)
                return
            claim_id = await self._read(principal, file, target, wait_s)
            target.seek(0)
            yield OpenedFile(file_id, file.record_id, file.name, file.content_type, file.size_bytes, target)
            await self._wait_until_shown(claim_id)

    async def wake(self, principal: Principal, node_id: UUID, file_id: UUID, wait_s: float | None = None) -> FileStatus:
        """Wakes the file by hand: it stays awake until it is put to sleep or is unused for long.

        Its state after at most `wait_s` seconds. Raises NotFound, DamagedFile, StoreUnavailable.
        """
        file = await self._located(principal, node_id, file_id)
        if isinstance(file, PartFile):
            return file.status
        with suppress(Rehydrating):
            await self._wait_until_shown((await self._awake(principal, file, wait_s, by_hand=True)).claim_id)
        return await self._states.status(principal, node_id, file_id)

    async def status(self, principal: Principal, node_id: UUID, file_id: UUID) -> FileStatus:
        """The state of a file, which stays as it is. Raises NotFound."""
        schema = await self._shells.schema_of(principal, node_id)
        part = await self._parts.find(principal, node_id, schema, file_id)
        if part is not None:
            return part.status
        return await self._states.status(principal, node_id, file_id)

    async def _located(self, principal: Principal, node_id: UUID, file_id: UUID) -> _Located | PartFile:
        schema = await self._shells.schema_of(principal, node_id)
        parameters = {"node_id": node_id, "file_id": file_id}
        found = await self._postgres.fetch(principal, sql_in("file/locate", schema), parameters, row=_Located)
        if not found:
            part = await self._parts.find(principal, node_id, schema, file_id)
            if part is None:
                raise NotFound
            return part
        return replace(found[0], name=shown_name(found[0].name, found[0].title))

    async def _rendered(self, principal: Principal, file: _Located | PartFile) -> _Located | PartFile:
        """The file, in place of which a text is given where a passage was changed or ended by hand."""
        if isinstance(file, PartFile) or not file.changed:
            return file
        shown = await self._parts.reworded(principal, file.record_id, file.node_id)
        return PartFile(file.node_id, file.file_id, file.record_id, file.name, shown) if shown else file

    async def _wait_until_shown(self, claim_id: UUID | None) -> None:
        """Waits until this process's restoration is applied in the graph, so that the caller sees the new state there."""
        if claim_id in self._showing:
            await asyncio.wait([self._showing[claim_id]])

    async def _read(
        self, principal: Principal, file: ManifestFile, target: IO[bytes], wait_s: float | None
    ) -> UUID | None:
        """Writes the file to `target`; returns the claim of the copy that was read, None where there was no room for one."""
        lost = None
        for _ in range(TRIES):
            try:
                claim = await self._awake(principal, file, wait_s, lost=lost)
            except (StoreFull, _FailedElsewhere):  # no room for a copy; this reader restores for itself
                await restore(self._objects, file.storage_path, target, packed=file.packed, sha256=file.sha256)
                return None
            key = copy_key(file.storage_path, claim.claim_id) if file.packed else file.storage_path
            try:
                await restore(self._objects, key, target, packed=False, sha256=file.sha256)
            except DamagedFile:  # it was put to sleep at this moment, or the copy is damaged: the object decides
                lost = claim.claim_id
                target.seek(0)
                target.truncate()
            else:
                return claim.claim_id
        raise StoreUnavailable("object store", "The restored file vanished while it was read; try again.")

    # waiting ---------------------------------------------------------------------------------------------

    async def _awake(
        self,
        principal: Principal,
        file: ManifestFile,
        wait_s: float | None,
        *,
        by_hand: bool = False,
        lost: UUID | None = None,
    ) -> FileClaim:
        """The claim under which the file is active. Raises as `opened` does."""
        ends = asyncio.get_running_loop().time() + (self._states.times.wait_s if wait_s is None else wait_s)
        waited, pause, file_was = None, LOOKS[0], "awake"
        while True:
            claim = await self._states.claim(principal, file, by_hand=by_hand, lost=lost, waited=waited)
            if claim.state == "active":
                FILE_READS.labels(file_was).inc()
                return claim
            file_was = "asleep"
            if claim.state == "failed":
                raise _FailedElsewhere("The file could not be restored; its log says why.")
            running = self._started(file, claim) if claim.mine else self._running.get(claim.claim_id)
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                raise Rehydrating
            if running is not None:
                await _finished(running, left)
            else:
                await asyncio.sleep(min(pause, left))
                waited, pause = claim.claim_id, min(2 * pause, LOOKS[1])

    def _started(self, file: ManifestFile, claim: FileClaim) -> asyncio.Task[None]:
        """The one task of a claim."""
        if claim.claim_id not in self._running:
            task = asyncio.create_task(self._rehydrated(file, claim.claim_id))
            self._running[claim.claim_id] = task
            task.add_done_callback(lambda done: self._ended(claim.claim_id, done))
        return self._running[claim.claim_id]

    def _ended(self, claim_id: UUID, task: asyncio.Task[None]) -> None:
        del self._running[claim_id]
        if not task.cancelled():
            task.exception()  # waiting readers get it; it is also in the log of states

    # restoring -------------------------------------------------------------------------------------------

    async def _rehydrated(self, file: ManifestFile, claim_id: UUID) -> None:
        """Takes the file from rehydrating to active, or back to dormant with the cause in the log."""
        self._reached("file_claimed")
        timer = asyncio.get_running_loop().call_later(MOMENT, self._show, file.node_id, claim_id)
        try:
            async with self._prolonging(file, claim_id), self._at_once:
                await self._copied(file, claim_id)
            if await self._states.restored(file, claim_id):
                self._reached("file_active")
            else:  # another process took it over after the timeout
                await self._objects.delete(copy_key(file.storage_path, claim_id))
        except NeurigraphError as error:
            review = isinstance(error, DamagedFile | StoreFull)
            await self._states.failed(file, claim_id, error.detail, review=review)
            raise
        finally:
            timer.cancel()
            self._show(file.node_id, claim_id)

    def _show(self, node_id: UUID, claim_id: UUID) -> None:
        """Applies the state in the graph in the background; readers do not wait for it."""
        showing = asyncio.create_task(self._shown(node_id, self._showing.get(claim_id)))
        self._showing[claim_id] = showing
        showing.add_done_callback(lambda done: self._forget_showing(claim_id, done))

    def _forget_showing(self, claim_id: UUID, task: asyncio.Task[None]) -> None:
        if self._showing.get(claim_id) is task:
            del self._showing[claim_id]

    async def _shown(self, node_id: UUID, earlier: asyncio.Task[None] | None) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        await self._nodes.apply_quietly([node_id])
        self._reached("state_applied")

    async def _copied(self, file: ManifestFile, claim_id: UUID) -> None:
        """Restores and verifies the whole file, then puts the copy; a file that is stored as it is needs none."""
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as plain:
            await restore(self._objects, file.storage_path, plain, packed=file.packed, sha256=file.sha256)
            self._reached("file_restored")
            if file.packed:
                plain.seek(0)
                await self._objects.put(copy_key(file.storage_path, claim_id), plain)
        self._reached("copy_written")

    @asynccontextmanager
    async def _prolonging(self, file: ManifestFile, claim_id: UUID) -> AsyncIterator[None]:
        """Within this block the claim is renewed, as long as this process lives."""

        async def prolong_for_ever() -> None:
            while True:
                await asyncio.sleep(self._states.times.lease.total_seconds() / 3)
                with suppress(NeurigraphError):
                    await self._states.prolong(file, claim_id)

        prolonging = asyncio.create_task(prolong_for_ever())
        try:
            yield
        finally:
            prolonging.cancel()
            with suppress(asyncio.CancelledError):
                await prolonging


class _FailedElsewhere(DamagedFile):
    """The restoration that this caller waited for failed: the file is damaged, or there was no room for a copy."""


async def _finished(task: asyncio.Task[None], most_s: float) -> None:
    """Waits for a restoration without cancelling it; raises its error, Rehydrating on timeout."""
    done, _ = await asyncio.wait([task], timeout=most_s)
    if not done:
        raise Rehydrating
    if task.cancelled():
        raise StoreUnavailable("object store", "The restoration was ended; try again.")
    task.result()

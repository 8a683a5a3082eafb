"""Putting files to sleep: files whose time after a retrieval is over, files woken by hand and unused, restorations that
stopped, and files that their user puts to sleep. The row is changed first, then the copy is deleted; the compressed object
is never touched.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock
from engine.domain.file_state import FileStatus
from engine.domain.principal import Principal
from engine.hierarchy.shells import Shells
from engine.lifecycle.file_states import Asleep, FileStates, copy_key
from engine.lifecycle.node_states import NodeStates
from engine.stores.objects import ObjectStore

BATCH = 100


@dataclass(frozen=True, slots=True)
class DormancyReport:
    """What a sweep put to sleep: files past their time after a retrieval, files woken by hand and unused, files whose
    restoration had stopped; and how many states of nodes from before were applied in the graph."""

    expired: int
    unused: int
    recovered: int
    mended: int

    @property
    def asleep(self) -> int:
        """All files that were put to sleep."""
        return self.expired + self.unused + self.recovered


class Dormancy:
    """Puts files to sleep. Safe to run twice at once, and to interrupt at any time: the next run does the rest."""

    def __init__(
        self,
        states: FileStates,
        nodes: NodeStates,
        objects: ObjectStore,
        shells: Shells,
        clock: Clock,
        reached: StepHook,
    ) -> None:
        self._states, self._nodes, self._objects, self._shells = states, nodes, objects, shells
        self._clock, self._reached = clock, reached

    async def run(self) -> DormancyReport:
        """One sweep in batches of 100; raises StoreUnavailable."""
        mended = await self._nodes.apply()
        now, causes = self._clock.now(), Counter[str]()
        while batch := await self._states.sweep(now, BATCH):
            causes.update(file.cause for file in batch)
            await self._forget(batch)
        return DormancyReport(causes["ttl"], causes["dormancy"], causes["recovery"], mended)

    async def sleep(self, principal: Principal, node_id: UUID, file_id: UUID) -> FileStatus:
        """Puts one file to sleep now; its state then. Raises NotFound unless the principal may write at the node, Conflict
        while the file is being restored."""
        await self._shells.schema_of(principal, node_id)
        asleep = await self._states.sleep(principal, node_id, file_id)
        if asleep is not None:
            await self._forget([asleep])
        return await self._states.status(principal, node_id, file_id)

    async def _forget(self, batch: Sequence[Asleep]) -> None:
        """Deletes the copies and updates the graph. Both are idempotent; if interrupted, later runs repeat them."""
        self._reached("files_asleep")
        keys = [copy_key(file.storage_path, file.claim_id) for file in batch if file.storage_path is not None]
        await asyncio.gather(*(self._objects.delete(key) for key in keys))
        self._reached("copies_deleted")
        await self._nodes.apply_quietly(list({file.node_id for file in batch}))
        self._reached("states_applied")

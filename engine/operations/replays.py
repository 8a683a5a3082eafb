"""Replays of the own graph: all records rebuilt beside the present ones, then swapped or discarded."""

from __future__ import annotations

from uuid import UUID

from engine.domain.replay import Replay, ReplayComparison
from engine.operations.asking import Asking
from engine.progress import Progress


class Replaying(Asking):
    """For the user of the graph alone; other principals find none. See `engine.ingest.rereading.replays`."""

    async def begin_replay(self) -> Replay:
        """A new replay, or the one that is open. A job builds it, or `build_replay`. Raises NotFound."""
        return await self._parts.replays.begin(self.principal)

    async def build_replay(self, replay_id: UUID, progress: Progress | None = None) -> Replay:
        """Rebuilds what is not rebuilt yet, beside the present records; calls no model. Raises NotFound, Conflict."""
        return await self._parts.replays.build(self.principal, replay_id, progress)

    async def replays(self, *, before: UUID | None = None, limit: int = 50) -> tuple[Replay, ...]:
        """Replays, newest first, one page; `before` is the last of the page before."""
        return await self._parts.replays.page(self.principal, before=before, limit=limit)

    async def one_replay(self, replay_id: UUID) -> Replay:
        """One replay as it stands. Raises NotFound."""
        return await self._parts.replays.replay(self.principal, replay_id)

    async def compare_replay(self, replay_id: UUID) -> ReplayComparison:
        """What a swap would do. Raises NotFound."""
        return await self._parts.replays.compare(self.principal, replay_id)

    async def swap_replay(self, replay_id: UUID) -> Replay:
        """Renews all records that come out otherwise, in one step. Raises NotFound, Conflict."""
        return await self._parts.replays.swap(self.principal, replay_id)

    async def discard_replay(self, replay_id: UUID) -> Replay:
        """Drops what was made. Raises NotFound, Conflict where it was swapped."""
        return await self._parts.replays.discard(self.principal, replay_id)

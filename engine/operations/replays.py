"""Replays of the own graph: all records rebuilt beside the present ones, then swapped or discarded."""

from __future__ import annotations

from uuid import UUID

from engine.domain.replay import Replay, ReplayComparison
from engine.operations.caller import Caller, owner
from engine.operations.declaring import Subject, reads, writes
from engine.progress import Progress


class Replays(Subject[Caller], name="replays"):
    """For the user of the graph alone. See `engine.ingest.rereading.replays`."""

    @writes(owner)
    async def begin(self, *, job: bool = False) -> Replay:
        """A new replay, or the one that is open. It is built by `build`, or by a background `job`. Raises NotFound."""
        replay = await self.caller.parts.replays.begin(self.caller.principal)
        if job:
            await self.caller.parts.jobs.ask("replay-build")
        return replay

    @writes(owner)
    async def build(self, replay_id: UUID, progress: Progress | None = None) -> Replay:
        """Rebuilds what is not rebuilt yet, beside the present records; calls no model. Raises NotFound, Conflict."""
        return await self.caller.parts.replays.build(self.caller.principal, replay_id, progress)

    @reads(owner)
    async def list(self, *, before: UUID | None = None, limit: int = 50) -> tuple[Replay, ...]:
        """Replays, newest first, one page; `before` is the last of the page before."""
        return await self.caller.parts.replays.page(self.caller.principal, before=before, limit=limit)

    @reads(owner)
    async def get(self, replay_id: UUID) -> Replay:
        """One replay as it stands. Raises NotFound."""
        return await self.caller.parts.replays.replay(self.caller.principal, replay_id)

    @reads(owner, limited=False)
    async def compare(self, replay_id: UUID) -> ReplayComparison:
        """What a swap would do. Raises NotFound."""
        return await self.caller.parts.replays.compare(self.caller.principal, replay_id)

    @writes(owner)
    async def swap(self, replay_id: UUID) -> Replay:
        """Renews all records that come out otherwise, in one step. Raises NotFound, Conflict."""
        return await self.caller.parts.replays.swap(self.caller.principal, replay_id)

    @writes(owner)
    async def discard(self, replay_id: UUID) -> Replay:
        """Drops what was made. Raises NotFound, Conflict where it was swapped."""
        return await self.caller.parts.replays.discard(self.caller.principal, replay_id)

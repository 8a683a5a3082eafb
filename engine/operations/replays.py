"""Replays of the own graph: all records rebuilt beside the present ones, then swapped or discarded."""

from __future__ import annotations

from uuid import UUID

from engine.domain.replay import Replay, ReplayComparison
from engine.ingest.rereading.replays import RecordReplays
from engine.jobs.jobs import JobCatalogue
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.progress import Progress


class Replays(OfGraph, name="replays"):
    """For the user of the graph alone. See `engine.ingest.rereading.replays`."""

    _jobs = Part(JobCatalogue)
    _replays = Part(RecordReplays)

    @writes(owner)
    async def begin(self, *, job: bool = False) -> Replay:
        """A new replay, or the one that is open. It is built by `build`, or by a background `job`. Raises NotFound."""
        replay = await self._replays.begin(self._principal)
        if job:
            await self._jobs.ask("replay-build")
        return replay

    @writes(owner, spends=True)
    async def build(self, replay_id: UUID, progress: Progress | None = None) -> Replay:
        """Rebuilds what is not rebuilt yet, beside the present records; asks no language model. Raises NotFound, Conflict."""
        return await self._replays.build(self._principal, replay_id, progress)

    @reads(owner)
    async def list(self, *, before: UUID | None = None, limit: int = 50) -> tuple[Replay, ...]:
        """Replays, newest first, one page; `before` is the last of the page before."""
        return await self._replays.page(self._principal, before=before, limit=limit)

    @reads(owner)
    async def get(self, replay_id: UUID) -> Replay:
        """One replay as it stands. Raises NotFound."""
        return await self._replays.replay(self._principal, replay_id)

    @reads(owner, limited=False)
    async def compare(self, replay_id: UUID) -> ReplayComparison:
        """What a swap would do. Raises NotFound."""
        return await self._replays.compare(self._principal, replay_id)

    @writes(owner, spends=True)
    async def swap(self, replay_id: UUID) -> Replay:
        """Renews all records that come out otherwise, in one step. Raises NotFound, Conflict."""
        return await self._replays.swap(self._principal, replay_id)

    @writes(owner)
    async def discard(self, replay_id: UUID) -> Replay:
        """Drops what was made. Raises NotFound, Conflict where it was swapped."""
        return await self._replays.discard(self._principal, replay_id)

"""The jobs of an engine, for its interfaces: the list, requesting a run, waiting for it, the log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Any

from engine.domain.clock import Clock
from engine.domain.job import JobState, Run
from engine.errors import NotFound
from engine.jobs.queue import Queue
from engine.jobs.runs import Counts, Job, Runs, next_due

FIRST_LOOK, LONGEST_LOOK = 0.05, 1.0
"""Seconds between two polls of a run that is waited for: at first, and at most."""
OVERDUE = 60.0
"""Seconds beyond the time limit after which a run is lost, whatever its worker says."""


class JobCatalogue:
    """The catalogue with its schedules, over the queue. A name that no job has is NotFound; all raise StoreUnavailable."""

    def __init__(
        self, catalogue: Sequence[Job], schedules: dict[str, str | None], queue: Queue, runs: Runs, clock: Clock
    ) -> None:
        self._catalogue = {job.name: job for job in catalogue}
        self._schedules, self._queue, self._runs, self._clock = schedules, queue, runs, clock

    async def states(self) -> tuple[JobState, ...]:
        """The present state of every job, in the order of the catalogue."""
        names = list(self._catalogue)
        counts, last = await self._runs.counts(names), await self._runs.last(names)
        return tuple(self._state(job, counts[job.name], last.get(job.name)) for job in self._catalogue.values())

    async def state(self, name: str) -> JobState:
        job = self._job(name)
        counts, last = await self._runs.counts([name]), await self._runs.last([name])
        return self._state(job, counts[name], last.get(name))

    def _state(self, job: Job, counts: Counts, last: Run | None) -> JobState:
        schedule = self._schedules[job.name]
        due = next_due(schedule, self._clock.now())
        return JobState(
            job.name, job.about, schedule, due, counts.runs, counts.failures, counts.running, counts.waiting, last
        )

    async def ask(self, name: str) -> Run:
        """Requests a run of the job: returns a new one, or the one that already waits."""
        run_id = await self._queue.ask(self._job(name), "request")
        return await self._runs.run(name, run_id)

    async def run(self, name: str, run_id: int) -> Run:
        return await self._runs.run(self._job(name).name, run_id)

    async def outcome(self, run: Run, wait: float) -> Run:
        """The run when it has ended, or its state after `wait` seconds."""
        deadline, pause = monotonic() + wait, FIRST_LOOK
        while not run.ended and (left := deadline - monotonic()) > 0:
            await asyncio.sleep(min(pause, left))
            pause = min(LONGEST_LOOK, pause * 1.5)
            run = await self._runs.run(run.job, run.run_id)
        return run

    async def log(
        self, name: str | None = None, *, before: int | None = None, quiet: bool = False, limit: int = 100
    ) -> list[Run]:
        """Runs that began, newest first, one page; `quiet` shows those that found nothing to do, too. Raises InvalidInput."""
        return await self._runs.page(self._job(name).name if name else None, before=before, quiet=quiet, limit=limit)

    def working(self, host: Any, *, only: str | None = None) -> AbstractAsyncContextManager[None]:
        """While this lasts, this process carries out runs, with `host` as the engine; `only` those of one job, if given."""
        job = self._job(only) if only is not None else None
        return self._queue.working(host, list(self._catalogue.values()), self._schedules, only=job)

    async def take_up_stalled(self) -> tuple[int, int]:
        """Retries runs whose worker is gone, unless they used up their attempts; returns how many were retried and given up."""
        taken_up = given_up = 0
        limits = self._queue.limits
        for lost in await self._runs.stalled(silent=limits.silence, overdue=limits.time_limit + OVERDUE):
            job = self._catalogue.get(lost.job)
            again = job is not None and lost.attempt < limits.attempts
            if job is not None and again:  # first: after a crash between the two the old one is found again
                await self._queue.ask(job, "takeover", attempt=lost.attempt + 1)
            if await self._queue.give_up(lost.run_id):
                await self._runs.finished(lost.run_id, "lost", failure="Its worker is gone.")
                taken_up, given_up = taken_up + again, given_up + (not again)
                if not again:
                    await self._runs.given_up(lost.run_id, lost.job, lost.attempt, "Lost", "Its worker is gone.")
        return taken_up, given_up

    def _job(self, name: str) -> Job:
        if name not in self._catalogue:
            raise NotFound(f"There is no such job. There are: {', '.join(sorted(self._catalogue))}.")
        return self._catalogue[name]

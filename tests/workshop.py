"""Jobs of a test's own, on the real queue beside the engine's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from engine.domain.clock import SystemClock
from engine.domain.job import Report
from engine.jobs.jobs import JobCatalogue
from engine.jobs.queue import Queue, WorkLimits
from engine.jobs.runs import Job, Runs
from engine.neurigraph import Engine

LIMITS = WorkLimits(
    concurrency=3, attempts=3, first_pause=0.01, time_limit=60, patience=0.1, silence=60, polling=0.1
)  # fmt: skip
AT_MOST = 60.0
"""Seconds that a test waits for what must come."""


def fresh(about: str) -> str:
    """A name that no other test knows."""
    return f"{about}-{uuid4().hex[:8]}"


def job(name: str, work: Callable[[Any], Any], schedule: str = "off", *, alone: bool = True) -> Job:
    return Job(name, "A test's own.", schedule, work, alone)


async def nothing(_: Any) -> Report:
    return {}


@dataclass
class Gate:
    """A job's work that stays inside until it is let out; counts who was inside at once."""

    entered: asyncio.Event = field(default_factory=asyncio.Event)
    let_out: asyncio.Event = field(default_factory=asyncio.Event)
    inside: int = 0
    most: int = 0

    async def work(self, _: Any) -> Report:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        try:
            await self.let_out.wait()
        finally:
            self.inside -= 1
        return {"passed": 1}


@asynccontextmanager
async def workshop(
    engine: Engine, *catalogue: Job, limits: WorkLimits = LIMITS, url: str | None = None, connect_timeout: float = 5
) -> AsyncIterator[JobCatalogue]:
    """Those jobs on the engine's database, as another engine would have them. Nobody works yet."""
    runs = Runs(engine.postgres, SystemClock())
    queue = Queue(url or engine.postgres.service.conninfo, runs, limits, connect_timeout=connect_timeout)
    schedules = {job.name: None if job.schedule == "off" else job.schedule for job in catalogue}
    await queue.open()
    try:
        yield JobCatalogue(catalogue, schedules, queue, runs, SystemClock())
    finally:
        await queue.close()

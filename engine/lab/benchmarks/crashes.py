"""Writes under random kills of the engine's process, of Neo4j and of Postgres: acknowledged writes must be complete.

Another process writes until every write is acknowledged, whichever processes are killed meanwhile. Then the stores are
compared with each other, and the stored records with the acknowledged writes and with the ingest sessions.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from uuid import UUID

from engine.domain.node import all_records
from engine.domain.read_limits import every
from engine.embedded import status
from engine.errors import NeurigraphError, SettingsError
from engine.lab.benchmarks.crash_writer import TURNS
from engine.lab.benchmarks.ground import empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_least, at_most
from engine.lifecycle.doctor import LateCommits
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Progress, counted
from engine.settings import Settings
from engine.stores.statements import sql_text

WRITES, KILLS = 1000, 36
TARGETS = ("engine", "neo4j", "postgres")
SILENCE = 240.0
"""Seconds without an acknowledgement after which the engine counts as not recovered."""
PAGE = 50


@dataclass(slots=True)
class Endured:
    """Counts of kills, and of losses afterwards; the last four are 0 if nothing was lost."""

    acknowledged: Counter[int] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    longest_silence_s: float = 0.0
    lost: int = 0
    half: int = 0
    twice: int = 0
    findings: int = 0
    unlisted: int = 0
    """Stored records that no ingest session lists, and listed ones that are not stored."""


class Ordeal:
    """Writes of one user under kills; the same seed chooses the same targets."""

    def __init__(self, engine: Engine, memory: Memory, handle: str, seed: int) -> None:
        self._engine, self._memory, self._handle = engine, memory, handle
        self._rng, self._heard = random.Random(seed), monotonic()
        self.endured = Endured()

    async def run(self, writes: int, kills: Sequence[str], progress: Progress) -> Endured:
        """Runs all writes, with the kills spread over them at random. Raises TimeoutError if there is no progress."""
        at = sorted(self._rng.sample(range(1, writes - 1), len(kills)))
        plan = list(zip(at, self._rng.sample(list(kills), len(kills)), strict=True))
        progress.start("crashes", writes, "writes")
        self._heard = monotonic()
        while len(self.endured.acknowledged) < writes:
            if monotonic() - self._heard > SILENCE:  # several writers in a row failed to start
                raise TimeoutError
            left = [number for number in range(writes) if number not in self.endured.acknowledged]
            await self._until_it_dies(left, plan, progress)
        progress.finish("crashes", counted(sum(self.endured.kills.values()), "kill"))
        await self._compare(writes)
        return self.endured

    async def _until_it_dies(self, left: Sequence[int], plan: list[tuple[int, str]], progress: Progress) -> None:
        writer = await self._writer(left)
        assert writer.stdout is not None
        try:
            while line := await asyncio.wait_for(writer.stdout.readline(), SILENCE):
                self.endured.longest_silence_s = max(self.endured.longest_silence_s, monotonic() - self._heard)
                self._heard = monotonic()
                self.endured.acknowledged[int(line)] += 1
                progress.advance("crashes")
                while plan and len(self.endured.acknowledged) >= plan[0][0]:
                    await asyncio.sleep(self._rng.random() * 0.05)
                    self._kill(plan.pop(0)[1], writer)
        finally:
            with suppress(ProcessLookupError):
                writer.kill()
            await writer.wait()

    async def _writer(self, left: Sequence[int]) -> asyncio.subprocess.Process:
        settings = self._engine.settings
        writer = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "engine.lab.benchmarks.crash_writer",
            str(settings.home), str(settings.cache), settings.workspace, self._handle,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert writer.stdin is not None
        writer.stdin.write("".join(f"{number}\n" for number in left).encode())
        writer.stdin.close()
        return writer

    def _kill(self, target: str, writer: asyncio.subprocess.Process) -> None:
        if target == "engine":
            pids = [writer.pid]
        else:
            pids = [server.pid for server in status(self._engine.settings.home).servers if server.name == target]
        for pid in pids:  # none if it is still down from the previous kill
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.endured.kills[target] += 1

    # afterwards ------------------------------------------------------------------------------------------

    async def _compare(self, writes: int) -> None:
        """Waits for recovery, then compares stored with acknowledged writes."""
        await self._settled()
        user = self._memory.principal.user_id
        records = await all_records(partial(self._memory.nodes.metadata, user, limit=PAGE))
        stored = Counter(record.title for record in records)
        endured, shell = self.endured, await self._memory.nodes.shell(user)
        endured.lost = sum(f"c{number}" not in stored for number in endured.acknowledged)
        endured.twice = sum(count - 1 for count in stored.values())
        endured.half = abs(shell.items - TURNS * sum(stored.values())) + abs(shell.records - sum(stored.values()))
        await self._engine.sweep.run(grace=timedelta(0))
        endured.findings = len(await self._engine.doctor.examine())
        listed: set[UUID] = set()
        ingests = self._memory.ingests
        sessions = await every(lambda before: ingests.list(before=before, limit=500), lambda one: one.session_id)
        for session in [one.session_id for one in sessions if one.records]:
            for source in await ingests.sources(session, limit=500):
                listed |= set(source.records)
        endured.unlisted = len(listed ^ {record.record_id for record in records})

    async def _settled(self) -> None:
        """Waits until no commit is pending; the engine restarts its stores and recovers by itself."""
        async with asyncio.timeout(SILENCE):
            while True:
                with suppress(NeurigraphError):
                    await self._engine.outbox.recover()
                    late = {"older_than": -60}
                    [left] = await self._engine.postgres.fetch_as_service(
                        sql_text("doctor/pending"), late, row=LateCommits
                    )
                    if not left.pending and all(store.healthy for store in await self._engine.health()):
                        return
                await asyncio.sleep(0.5)


def planned(kills: int) -> list[str]:
    """The given number of kills, spread over the targets."""
    return [TARGETS[number % len(TARGETS)] for number in range(kills)]


async def measure(
    settings: Settings, data: Path | None, progress: Progress, items: int = WRITES, kills: int | None = None
) -> Report:
    """Runs the benchmark: `items` writes under `kills`, 36 for a thousand writes unless they are given. `data` is not used."""
    if settings.neo4j_url:
        raise SettingsError("This kills servers: it needs embedded ones.")
    started, spent = monotonic(), process_time()
    async with empty_ground(settings, progress) as ground:
        user = await ground.user()
        ordeal = Ordeal(ground.engine, ground.engine.memory(user.user_id), user.handle, seed=1)
        endured = await ordeal.run(items, planned(kills or max(3, KILLS * items // WRITES)), progress)
    figures = (
        at_least("acknowledged writes", len(endured.acknowledged), "writes", items),
        *(Figure(f"kills of {target}", endured.kills[target], "kills") for target in TARGETS),
        at_most("acknowledged, but missing", endured.lost, "writes", 0),
        at_most("there twice", endured.twice, "writes", 0),
        at_most("half there", endured.half, "rows", 0),
        at_most("not listed by the sessions", endured.unlisted, "records", 0),
        at_most("findings of the doctor", endured.findings, "findings", 0),
        Figure("longest time without an acknowledgement", round(endured.longest_silence_s, 1), "s"),
    )
    return Report("crashes", figures, round(monotonic() - started, 1), {"this process": process_time() - spent})

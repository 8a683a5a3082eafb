"""Mixed work for a long time, to find leaks: memory, connections, descriptors, tables.

Several workers write conversations, search, stream turns, open files and change records. All processes and databases
are sampled every few seconds. Writes grow the data, so table sizes are compared with the number of items; memory,
connections and descriptors are compared between the second and the last quarter of the readings after WARM operations: until
then each connection of Postgres fills its caches of tables and plans, to some 30 MB.
"""

from __future__ import annotations

import asyncio
import random
import statistics
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic

import psutil

from engine.domain.delta import Change
from engine.domain.history import Conversation
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.embedded import status
from engine.errors import NeurigraphError, SettingsError
from engine.lab.benchmarks.corpus import base_history, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_least, at_most, percentiles
from engine.memory import Memory
from engine.progress import Progress, counted
from engine.settings import Settings
from engine.stores.statements import cypher, sql_text

SECONDS = 1200
WORKERS, USERS = 4, 3
EVERY = 10.0
"""Seconds between two readings."""
WARM = 500
"""Operations after which memory is compared: a busy machine takes minutes for them, so time says nothing."""
FEWEST = 8
"""Readings that a comparison needs: two in a quarter."""
TURNS = 20_000
"""Turns that the writes use repeatedly under other ids."""
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class _Sizes:
    connections: int
    bytes: int
    dead_rows: int
    items: int


@dataclass(frozen=True, slots=True)
class _Entities:
    nodes: int
    relationships: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading. Memory in bytes by process, descriptors of this process, connections of Postgres, sizes in bytes."""

    at: float
    operations: int
    memory: dict[str, int]
    descriptors: int
    tasks: int
    connections: int
    postgres_bytes: int
    dead_rows: int
    items: int
    graph_entities: int


@dataclass(slots=True)
class Soaked:
    """The operations, their seconds, the failures, and the readings."""

    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)


class Soak:
    """The workers and the readings over one engine."""

    def __init__(self, ground: Ground, memories: Sequence[Memory], texts: Sequence[Conversation], seed: int) -> None:
        self._engine, self._memories, self._texts = ground.engine, memories, texts
        self._rng, self._began, self._number = random.Random(seed), monotonic(), 0
        self.soaked = Soaked()

    async def run(self, seconds: float, progress: Progress) -> Soaked:
        """Works for so long."""
        progress.start("soak", seconds, "s")
        self._began = monotonic()
        until = self._began + seconds
        workers = [asyncio.create_task(self._work(until)) for _ in range(WORKERS)]
        try:
            while monotonic() < until:
                self.soaked.samples.append(await self._sample())
                before = monotonic()
                await asyncio.sleep(min(EVERY, max(0.0, until - before)))
                progress.advance("soak", monotonic() - before)
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
        self.soaked.samples.append(await self._sample())
        progress.finish("soak", counted(self.soaked.done.total(), "operation"))
        return self.soaked

    async def _work(self, until: float) -> None:
        kinds: dict[str, tuple[int, Callable[[Memory], Awaitable[None]]]] = {
            "search": (10, self._search),
            "write": (3, self._write),
            "stream": (3, self._stream),
            "change": (1, self._change),
            "open": (1, self._open),
        }
        names, weights = list(kinds), [weight for weight, _ in kinds.values()]
        while monotonic() < until:
            [kind] = self._rng.choices(names, weights)
            began = monotonic()
            try:
                await kinds[kind][1](self._rng.choice(self._memories))
            except NeurigraphError as error:
                self.soaked.failed[f"{kind}: {type(error).__name__}"] += 1
            else:
                self.soaked.done[kind] += 1
                if kind == "search":
                    self.soaked.seconds.append(monotonic() - began)

    def _next(self) -> Conversation:
        self._number += 1
        one = self._texts[self._number % len(self._texts)]
        return Conversation(f"soak-{self._number}", one.turns[:12], one.title, one.started_at)

    async def _search(self, memory: Memory) -> None:
        turn = self._rng.choice(self._rng.choice(self._texts).turns)
        await memory.search(SearchRequest(turn.text[:200] or "walleye"))

    async def _write(self, memory: Memory) -> None:
        await memory.records.remember(self._next())

    async def _stream(self, memory: Memory) -> None:
        one = self._next()
        for turn in one.turns[:4]:
            await memory.conversations.append(one.source_id, StreamedTurn(turn.speaker, turn.text))
        await memory.conversations.end(one.source_id)

    async def _change(self, memory: Memory) -> None:
        node = memory.principal.user_id
        page = await memory.nodes.metadata(node, limit=20)
        if page.records:
            record = self._rng.choice(page.records)
            change = Change("record", record.record_id, {"title": f"Title {self._rng.randrange(1000)}"}, node)
            await memory.history.change(change)

    async def _open(self, memory: Memory) -> None:
        page = await memory.nodes.metadata(memory.principal.user_id, limit=20)
        files = [record.file_id for record in page.records if record.file_id]
        if files:
            await memory.files.read(memory.principal.user_id, self._rng.choice(files))

    async def _sample(self) -> Sample:
        here, servers = psutil.Process(), status(self._engine.settings.home).servers
        memory = {"engine": here.memory_info().rss}
        for server in servers:
            with suppress(psutil.Error):
                process = psutil.Process(server.pid)
                parts = process.children(recursive=True)
                if server.name == "supervisor":
                    parts = []  # its children are the servers, which are counted by themselves
                memory[server.name] = sum(_private(one) for one in (process, *parts))
        [sizes] = await self._engine.postgres.fetch_as_service(sql_text("bench/soak_sizes"), row=_Sizes)
        [graph] = await self._engine.neo4j.read(cypher("schema/entities_counted"), row=_Entities)
        return Sample(
            monotonic() - self._began,
            self.soaked.done.total(),
            memory,
            here.num_fds(),
            len(asyncio.all_tasks()),
            sizes.connections,
            sizes.bytes,
            sizes.dead_rows,
            sizes.items,
            graph.nodes + graph.relationships,
        )


def _private(process: psutil.Process) -> int:
    """Memory of a process without the shared memory of Postgres and what is mapped from files (`RssAnon` of Linux)."""
    with suppress(psutil.Error):
        info = process.memory_info()
        return int(info.rss - getattr(info, "shared", 0))
    return 0


def growth(samples: Sequence[Sample], value: Callable[[Sample], float]) -> float:
    """The mean of the last quarter relative to that of the second; 1 if there are too few readings."""
    quarter = len(samples) // 4
    if quarter < 1:
        return 1.0
    early = statistics.fmean(map(value, samples[quarter : 2 * quarter]))
    return statistics.fmean(map(value, samples[-quarter:])) / max(early, 1e-9)


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = SECONDS) -> Report:
    """Runs the benchmark for `items` seconds on embedded servers."""
    if settings.neo4j_url:
        raise SettingsError("This reads the memory of the servers: it needs embedded ones.")
    history = await base_history(data, settings.max_text_bytes, progress)
    texts = [one for one in repeated(history.conversations, TURNS) if one.turns]
    async with empty_ground(settings, progress) as ground:
        memories = []
        for _ in range(USERS):
            memory = await ground.memory()
            for one in history.nodes[:8]:
                if len(one.path) == 1:
                    new = NewNode(memory.principal.user_id, one.path[0], "concept", one.summary, one.keywords)
                    await memory.nodes.provision(new)
            memories.append(memory)
        before = ground.meter.read()
        soaked = await Soak(ground, memories, texts, seed=1).run(items, progress)
        spent = ground.meter.read().since(before)
        findings = len(await ground.engine.doctor.examine())
    return _report(soaked, findings, spent.wall, dict(spent.cpu))


def _growth_of_memory(name: str, samples: Sequence[Sample]) -> Figure:
    grown = growth(samples, lambda one: one.memory.get(name, 0))
    return at_most(f"memory of {name}, last against second quarter", grown, "times", 1.15)


def _report(soaked: Soaked, findings: int, wall: float, cpu: dict[str, float]) -> Report:
    samples = soaked.samples
    last, first = samples[-1], samples[max(0, len(samples) // 4)]
    warm = [one for one in samples if one.operations >= WARM]
    figures = (
        *(Figure(f"operations: {kind}", count, "times") for kind, count in sorted(soaked.done.items())),
        at_most("operations that failed", soaked.failed.total(), "times", 0),
        at_least(f"readings after {WARM} operations", len(warm), "readings", FEWEST),
        *(percentiles("search", soaked.seconds) if len(soaked.seconds) > 1 else ()),
        *(_growth_of_memory(name, warm) for name in sorted(last.memory)),
        *(Figure(f"memory of {name} at the end", round(size / MEGABYTE, 1), "MiB") for name, size in sorted(last.memory.items())),
        at_most("descriptors, last against second quarter", growth(warm, lambda one: one.descriptors), "times", 1.1),
        at_most("tasks, last against second quarter", growth(warm, lambda one: one.tasks), "times", 1.1),
        at_most("connections to Postgres at most", max(one.connections for one in samples), "connections", 40),
        at_most(
            "bytes of Postgres an item, end against the first quarter",
            (last.postgres_bytes / max(1, last.items)) / (first.postgres_bytes / max(1, first.items)), "times", 1.2,
        ),
        Figure("items at the end", last.items, "items"),
        Figure("dead rows at the end", last.dead_rows, "rows"),
        Figure("nodes and relationships of the graph at the end", last.graph_entities, "entities"),
        at_most("findings of the doctor", findings, "findings", 0),
    )  # fmt: skip
    details = {"failed": dict(soaked.failed), "samples": [asdict(one) for one in samples]}
    return Report("soak", figures, round(wall, 1), cpu, details)

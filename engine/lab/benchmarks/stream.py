"""Streamed conversations: the cost of an append, from one writer and from many, and one very long conversation."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil

from engine.domain.history import History
from engine.domain.stream import StreamedTurn
from engine.lab.benchmarks.corpus import base_history, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.meter import Reading
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.trips import Trips, counted
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings

ALONE = 2000
"""Turns of one conversation, appended one after the other."""
CONVERSATIONS, TURNS_EACH = 32, 100
TOKENS = 1_200_000
TOGETHER = 20
"""Turns of one append of the long conversation."""
COUNTED = 200
LOOK = 0.1
"""Seconds between two samples of this process's memory."""

_TASK = "streamed conversations"


@dataclass(slots=True)
class Watched:
    """Samples of this process's memory in MB, in order."""

    before: float = 0.0
    looks: list[float] = field(default_factory=list)

    @property
    def peak(self) -> float:
        return max(self.looks, default=self.before)

    def part(self, start: float, end: float) -> float:
        """The maximum in a part of the time, from 0 to 1."""
        chosen = self.looks[round(start * len(self.looks)) : max(1, round(end * len(self.looks)))]
        return max(chosen, default=self.before)


@dataclass(frozen=True, slots=True)
class Long:
    """The long conversation: seconds of its appends alone, of all until it was stored, its turns and pieces."""

    appending: float
    stored: Reading
    turns: int
    tokens: int
    pieces: int
    watched: Watched


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = TOKENS) -> Report:
    """One writer, then 32, then one conversation of `items` tokens whose pieces are stored beside its appends."""
    base = await base_history(data, settings.max_text_bytes, progress)
    async with empty_ground(settings, progress) as ground:
        progress.start(_TASK, None, "turns")
        await _append(await ground.memory(), "warm", _turns(base, 200, 0))
        memories = await ground.memory(), await ground.memory()
        async with _model_calls(ground) as calls:
            alone, took = await _alone(ground, memories[0], _turns(base, ALONE, 1))
            many = await _many(ground, memories[1], base)
        trips = await _trips(ground, _turns(base, COUNTED, 300))
        progress.advance(_TASK, ALONE + CONVERSATIONS * TURNS_EACH)
        long = await _long(ground, base, items, progress)
        progress.finish(_TASK)
    return _report(alone, took, many, calls, trips, long)


def _turns(base: History, amount: int, copy: int) -> list[StreamedTurn]:
    """So many turns, one after the other, as a question and an answer in turn."""
    turns = (turn for one in repeated(base.conversations, amount, first_copy=copy) for turn in one.turns)
    return [
        StreamedTurn("user" if place % 2 == 0 else "assistant", turn.text, role="user" if place % 2 == 0 else "assistant")
        for place, turn in enumerate(turns)
    ]  # fmt: skip


async def _append(memory: Memory, name: str, turns: Sequence[StreamedTurn], took: list[float] | None = None) -> None:
    for number, turn in enumerate(turns):
        started = perf_counter()
        await memory.conversations.append(name, turn, first=number)
        if took is not None:
            took.append(perf_counter() - started)


async def _alone(ground: Ground, memory: Memory, turns: Sequence[StreamedTurn]) -> tuple[Reading, list[float]]:
    took: list[float] = []
    before = ground.meter.read()
    await _append(memory, "alone", turns, took)
    return ground.meter.read().since(before), took


async def _many(ground: Ground, memory: Memory, base: History) -> Reading:
    texts = [_turns(base, TURNS_EACH, 100 + number) for number in range(CONVERSATIONS)]
    before = ground.meter.read()
    await asyncio.gather(*(_append(memory, f"c{number}", turns) for number, turns in enumerate(texts)))
    return ground.meter.read().since(before)


async def _trips(ground: Ground, turns: Sequence[StreamedTurn]) -> Trips:
    memory = await ground.memory()
    async with counted(ground.engine) as trips:
        await _append(memory, "counted", turns)
    return trips


@asynccontextmanager
async def _model_calls(ground: Ground) -> AsyncIterator[Counter[str]]:
    """Counts all calls of the embedder."""
    embedder, calls = ground.engine.embedder, Counter[str]()
    for name in ("embed_documents", "embed_query"):
        setattr(embedder, name, _counting(getattr(embedder, name), name, calls))
    try:
        yield calls
    finally:
        for name in ("embed_documents", "embed_query"):
            delattr(embedder, name)


def _counting(work: Callable[..., Any], name: str, calls: Counter[str]) -> Callable[..., Any]:
    def counted_work(*arguments: object) -> object:
        calls[name] += 1
        return work(*arguments)

    return counted_work


async def _long(ground: Ground, base: History, tokens: int, progress: Progress) -> Long:
    """A worker stores due pieces beside the appends; only the end waits for it."""
    memory = await ground.memory()
    before, started = ground.meter.read(), perf_counter()
    async with ground.engine.working(only="conversations"), _watched() as watched:
        done, copy = 0, 1000
        state = None
        while state is None or state.tokens < tokens:
            turns = _turns(base, 2000, copy)
            copy += 100
            for start in range(0, len(turns), TOGETHER):
                state = await memory.conversations.append("long", *turns[start : start + TOGETHER], first=done)
                done = state.turns
                progress.advance(_TASK, TOGETHER)
                if state.tokens >= tokens:
                    break
        appending = perf_counter() - started
        await memory.conversations.end("long")
    stored = ground.meter.read().since(before)
    records = (await memory.nodes.metadata(memory.principal.user_id, limit=100)).records
    return Long(appending, stored, done, state.tokens, len(records), watched)


@asynccontextmanager
async def _watched() -> AsyncIterator[Watched]:
    """Samples this process's memory repeatedly."""
    process = psutil.Process()
    watched = Watched(_megabytes(process))

    async def look() -> None:
        while True:
            watched.looks.append(_megabytes(process))
            await asyncio.sleep(LOOK)

    looking = asyncio.create_task(look())
    try:
        yield watched
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20


def _report(
    alone: Reading, took: Sequence[float], many: Reading, calls: Counter[str], trips: Trips, long: Long
) -> Report:  # fmt: skip
    together = CONVERSATIONS * TURNS_EACH
    watched, last = long.watched, long.watched.part(0.5, 1.0)
    figures = (
        Figure("appends a second, one writer", round(ALONE / alone.wall, 1), "turns/s"),
        *percentiles("append, one writer", took),
        Figure("CPU a turn, one writer, all processes", round(alone.total_cpu / ALONE * 1000, 3), "ms"),
        *(Figure(f"of that {name}", round(spent / ALONE * 1000, 3), "ms") for name, spent in alone.cpu.items()),
        Figure(f"appends a second, {CONVERSATIONS} conversations", round(together / many.wall, 1), "turns/s"),
        Figure(
            f"CPU a turn, {CONVERSATIONS} conversations, all processes",
            round(many.total_cpu / together * 1000, 3),
            "ms",
        ),
        at_most("model calls of these appends", calls.total(), "calls", 0),
        at_most("Postgres trips an append", trips.postgres / COUNTED, "trips", 1),
        at_most("Neo4j trips an append", trips.neo4j / COUNTED, "trips", 0),
        Figure("tokens of the long conversation", long.tokens, "tokens"),
        Figure("its appends, storing beside them", round(long.turns / long.appending, 1), "turns/s"),
        Figure("its records", long.pieces, "records"),
        Figure("until all was stored", round(long.stored.wall, 1), "s"),
        Figure("memory of this process before it", round(watched.before), "MB"),
        Figure("memory of this process, most", round(watched.peak), "MB"),
        at_most("most in its second half against the first", last / watched.part(0.0, 0.5), "times", 1.25),
    )
    details = {"cpu_alone_s": dict(alone.cpu), "cpu_many_s": dict(many.cpu), "cpu_long_s": dict(long.stored.cpu)}
    return Report("stream", figures, long.stored.wall, long.stored.cpu, details | {"memory_mb": watched.looks[::50]})

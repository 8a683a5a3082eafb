"""Re-embedding while serving: a canary is built beside the active version, then promoted and rolled back.

Searches run all the time, one after the other; their times before, during and after show the cost of a build.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from time import perf_counter

from engine.domain.embedding import ModelChoice, Pace
from engine.domain.history import History
from engine.domain.search import SearchRequest
from engine.lab.benchmarks.corpus import base_history, more_nodes, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, percentiles
from engine.lab.benchmarks.retrieval import asked_in
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings

ITEMS = 20_000
ITEMS_A_NODE = 200
FIRST, CANARY = "minilm", "e5-small"
SEARCHES = 60
PAUSE = 0.25
"""Seconds between two searches while the canary is built: a single user, not a load test."""


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS) -> Report:
    """A user with `items` items, 200 at each node, embedded with minilm; the canary is e5-small."""
    base = await base_history(data, settings.max_text_bytes, progress)
    questions = asked_in(base)
    async with empty_ground(settings.model_copy(update={"encoder": FIRST}), progress) as ground:
        memory = await _filled(ground, base, items, progress)
        before = await _asked(memory, questions, SEARCHES)
        started = ground.meter.read()
        version = await ground.engine.workspace.embeddings.start(ModelChoice("onnx", CANARY))
        build = ground.engine.workspace.embeddings.build(version.name, pace=Pace(duty=0.7), progress=progress)
        building = asyncio.create_task(build)
        during = await _asked_while(building, memory, questions)
        built = await building
        spent = ground.meter.read().since(started)
        after_build = await _asked(memory, questions, SEARCHES)
        promoted = await _timed(partial(ground.engine.workspace.embeddings.promote, version.name))
        after = await _asked(memory, questions, SEARCHES)
        rolled_back = await _timed(ground.engine.workspace.embeddings.roll_back)
    figures = (
        Figure("vectors made", built.filled, ""),
        Figure("vectors a second, with a duty of 0.7", round(built.filled / built.seconds, 1), "/s"),
        Figure(
            "CPU of all processes for 1,000 vectors, searches too", round(spent.total_cpu / built.filled * 1000, 2), "s"
        ),
        *percentiles("search before", before),
        *percentiles("search while the canary is built", during),
        *percentiles("search with both vectors in each row", after_build),
        *percentiles("search after the promotion", after),
        Figure("promotion, with the counts before and after", round(promoted, 2), "s"),
        Figure("rollback, with the count after", round(rolled_back, 2), "s"),
    )
    details = {"items": items, "build_s": built.seconds, "remaining": built.remaining, "searches": len(during)}
    return Report("embeddings", figures, spent.wall, dict(spent.cpu), details)


async def _filled(ground: Ground, base: History, items: int, progress: Progress) -> Memory:
    nodes = more_nodes(base.nodes, max(items // ITEMS_A_NODE, 1))
    conversations = tuple(
        replace(one, node=nodes[number % len(nodes)].path)
        for number, one in enumerate(one for one in repeated(base.conversations, items) if one.turns)
    )
    memory = await ground.memory()
    await memory.ingests.history(History("bench", "Bench", conversations, nodes=nodes), progress)
    return memory


async def _asked(memory: Memory, questions: Sequence[str], searches: int) -> list[float]:
    asked = cycle(questions)
    await _search(memory, next(asked))
    return [await _search(memory, next(asked)) for _ in range(searches)]


async def _asked_while(building: asyncio.Task[object], memory: Memory, questions: Sequence[str]) -> list[float]:
    seconds: list[float] = []
    for question in cycle(questions):
        if building.done():
            return seconds
        seconds.append(await _search(memory, question))
        await asyncio.sleep(PAUSE)
    return seconds


async def _search(memory: Memory, question: str) -> float:
    started = perf_counter()
    await memory.search(SearchRequest(question))
    return perf_counter() - started


async def _timed(step: Callable[[], Awaitable[object]]) -> float:
    started = perf_counter()
    await step()
    return perf_counter() - started

"""Runs random operations in batches, a few at a time, and compares every answer with the model.

Between two batches grants, records and nodes change; within one nothing does, so every comparison is exact.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

from engine.errors import InvalidInput, NotFound, StoreUnavailable
from engine.lab.leaks import attempts, contents, intrusions, oracles, people, questions, rows, searches
from engine.lab.leaks.asking import Operation
from engine.lab.leaks.changes import change
from engine.lab.leaks.forest import Size, grow
from engine.lab.leaks.interference import Interference
from engine.lab.leaks.model import World
from engine.progress import Progress, Silent, counted

if TYPE_CHECKING:
    from engine.neurigraph import Engine

BATCH = 250
PAUSES = (1.0, 5.0, 30.0)
_SUBJECTS = (questions, searches, contents, people, attempts, rows, intrusions, oracles)
DRAWS = {name: draw for subject in _SUBJECTS for name, draw in subject.draws.items()}


@dataclass(frozen=True, slots=True)
class Leak:
    """An answer that did not match: the seed that found it, the operation, one line about the error."""

    seed: int
    operation: str
    asker: str
    wrong: str


@dataclass(frozen=True, slots=True)
class LeakReport:
    """The operations and the leaks. `seconds`: setup and operations together; `interferences`: reads that hidden changes
    changed."""

    seed: int
    operations: int
    by_kind: dict[str, int]
    leaks: tuple[Leak, ...]
    nodes: int
    records: int
    grants: int
    seconds: float
    interferences: tuple[Interference, ...] = ()


@dataclass(slots=True)
class Run:
    """One run over a world; `kinds`: operations to draw, `patience`: leaks until it ends, `at_once`: concurrency.

    Raises StoreUnavailable if a store does not answer.
    """

    engine: Engine
    world: World
    seed: int
    kinds: Collection[str] | None = None
    patience: int = 50
    at_once: int = 10
    progress: Progress = field(default_factory=Silent)
    asked: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)

    async def go(self, count: int, *, changing: bool = True) -> None:
        """Runs `count` operations, or fewer if there are too many leaks."""
        rng = Random(self.seed)
        while (left := count - self.asked.total()) > 0 and len(self.leaks) < self.patience:
            before = self.asked.total()
            if changing:
                await self._change(rng)
            await self._batch(rng, min(BATCH, left))
            self.progress.advance("leaks", self.asked.total() - before)

    async def _change(self, rng: Random) -> None:
        try:
            async for kind, asker, wrong in change(self.engine, self.world, rng):
                self.asked[kind] += 1
                self.leaks += [Leak(self.seed, kind, str(asker), text) for text in wrong]
        except (NotFound, InvalidInput) as error:
            self.leaks.append(Leak(self.seed, "change", "", f"an allowed change was refused: {error.detail}"))

    async def _batch(self, rng: Random, size: int) -> None:
        names = list(self.kinds if self.kinds is not None else DRAWS)
        first = [name for name in names if not self.asked[name]][:size]  # each kind once, whatever is drawn
        drawn = first + rng.choices(names, [DRAWS[name][1] for name in names], k=size - len(first))
        waiting = [DRAWS[name][0](self.world, rng) for name in drawn]
        waiting.reverse()

        async def work() -> None:
            while waiting and len(self.leaks) < self.patience:
                await self._ask(waiting.pop())

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.at_once):
                    group.create_task(work())
        except ExceptionGroup as several:
            raise several.exceptions[0] from several

    async def _ask(self, operation: Operation) -> None:
        outcome = await operation.ask(self.engine)
        for pause in PAUSES:  # a briefly overloaded store is not about rights
            if not isinstance(outcome, StoreUnavailable):
                break
            await asyncio.sleep(pause)
            outcome = await operation.ask(self.engine)
        if isinstance(outcome, StoreUnavailable):  # nobody knows what it would have answered: no leak
            raise outcome
        self.asked[operation.kind] += 1
        wrong: Sequence[str] = list(operation.judge(outcome))
        about = f"{operation.kind}: {operation.about}"[:1_000]
        self.leaks += [Leak(self.seed, about, str(operation.asker), text[:500]) for text in wrong]


async def fuzz(
    engine: Engine, *, count: int, seed: int, progress: Progress | None = None, size: Size | None = None
) -> LeakReport:
    """Makes a forest of its own and runs `count` operations; the same seed draws the same operations.

    Raises StoreUnavailable if a store does not answer.
    """
    progress = progress or Silent()
    started = perf_counter()
    progress.start("leaks", count, "operations")
    world = await grow(engine, Random(seed), size)
    run = Run(engine, world, seed, progress=progress)
    await run.go(count)
    progress.finish("leaks", f"{counted(run.asked.total(), 'operation')}, {counted(len(run.leaks), 'leak')}")
    return LeakReport(
        seed=seed,
        operations=run.asked.total(),
        by_kind=dict(sorted(run.asked.items())),
        leaks=tuple(run.leaks),
        nodes=len(world.places),
        records=len(world.written),
        grants=len(world.rights),
        seconds=round(perf_counter() - started, 1),
    )

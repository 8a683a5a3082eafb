"""A large user is erased while others are served: how much longer their requests take meanwhile, and what the erasure costs.

The user's first turns are ingested as usual; then the rows in Postgres and the records in the graph are copied until there are as
many items as asked for. The others search and write at a steady pace, alone first and then beside the erasure, in one process.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from uuid import UUID

from engine.domain.forgetting import Forgetting
from engine.domain.history import History
from engine.domain.search import SearchRequest
from engine.ingest.pipeline import Ingest
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.retrieval import asked_in, filled
from engine.memory import Memory
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.stores.statements import cypher, sql_in, sql_text

ITEMS = 20_000
TURNS, NODES = 1000, 10
"""Of the user who is erased, as they are ingested."""
OTHERS, OTHER_TURNS, OTHER_NODES = 2, 500, 5
ALONE_S = 60.0
"""Seconds that the others are served alone."""
PACE_S = 0.2
"""Seconds between the beginnings of two requests of one client, where the first is over by then."""
WRITES_ONE_IN = 5
TURNS_A_RECORD, COPIED = 20, 50
EVERY_S = 0.1
COPYING_S = 600.0


@dataclass(slots=True)
class Served:
    """The seconds of requests, by kind."""

    searches: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS) -> Report:
    """Erases a user with about so many items."""
    base = await base_history(data, settings.max_text_bytes, progress)
    patient = settings.model_copy(update={"statement_timeout_s": COPYING_S, "forget_settle_s": 0.0})
    async with empty_ground(patient, progress) as ground:
        others = [await filled(ground, base, Silent(), OTHER_TURNS, OTHER_NODES) for _ in range(OTHERS)]
        memory = await _large(ground, base, items, progress)
        amount = await _amount(ground, memory)
        questions = asked_in(base)
        await _serve(others, questions, _after(ALONE_S / 4))  # warm
        first = ground.meter.read()
        alone = await _serve(others, questions, _after(ALONE_S))
        second = ground.meter.read()
        erasing = asyncio.create_task(_erased(ground, memory.principal.user_id))
        beside = await _serve(others, questions, erasing.done)
        one, steps = await erasing
        third = ground.meter.read()
        began = perf_counter()
        receipt = await ground.engine.workspace.users.receipt(one.forgetting_id)
        check = await ground.engine.workspace.users.verify(receipt)
        verified = perf_counter() - began
    quiet, busy = second.since(first), third.since(second)
    p95 = [statistics.quantiles(seconds, n=20)[-1] for seconds in (alone.searches, beside.searches)]
    cpu = busy.total_cpu - quiet.total_cpu / len(alone.searches) * len(beside.searches)
    figures = (
        *percentiles("searches of others alone", alone.searches),
        *percentiles("searches of others beside the erasure", beside.searches),
        at_most("p95 of searches beside the erasure against alone", p95[1] / p95[0], "times", 1.5),
        *percentiles("writes of others alone", alone.writes),
        *percentiles("writes of others beside the erasure", beside.writes),
        Figure("erasure", round(sum(steps.values()), 1), "s"),
        Figure("erasure, CPU beyond that of as many requests", round(cpu, 1), "s"),
        Figure("receipt verify", round(verified, 2), "s"),
        at_most("places where something was found", len(check.found), "places", 0),
    )
    details = {
        **amount,
        "asked_items": items,
        "state": one.state,
        "steps_s": {name: round(seconds, 2) for name, seconds in steps.items()},
        "searches": [len(alone.searches), len(beside.searches)],
        "counts": dict(one.counts),
        "cpu_alone_s": dict(quiet.cpu),
    }
    return Report("forget", figures, round(busy.wall, 1), dict(busy.cpu), details)


async def _large(ground: Ground, base: History, items: int, progress: Progress) -> Memory:
    """The user who is to be erased."""
    memory = await filled(ground, base, progress, TURNS, NODES)
    there = (await _amount(ground, memory))["items"]
    copies = max(0, items // there - 1)
    nodes = await ground.engine.parts[Ingest].nodes(memory.principal)
    progress.start("copies", len(nodes), "nodes")
    for node in nodes:
        if copies:
            async with ground.engine.postgres.service.connection() as connection:
                await connection.execute(sql_in("bench/copied", node.schema_name), {"copies": copies})
        progress.advance("copies")
    left = max(0, items - there) // TURNS_A_RECORD * NODES // TURNS  # copies of each record there is
    while left > 0:
        some = min(left, COPIED)
        await ground.engine.neo4j.write(
            cypher("bench/records_copied"), user_id=str(memory.principal.user_id), copies=some
        )
        left -= some
    progress.finish("copies")
    return memory


async def _amount(ground: Ground, memory: Memory) -> dict[str, int]:
    """How many nodes, items and records of the graph the user has."""
    nodes = await ground.engine.parts[Ingest].nodes(memory.principal)
    items = 0
    async with ground.engine.postgres.service.connection() as connection:
        for node in nodes:
            counted = await connection.fetch(sql_in("bench/items_counted", node.schema_name), row=int)
            items += sum(counted)
    [records] = await ground.engine.neo4j.read(
        cypher("bench/records_of_user"), row=int, user_id=str(memory.principal.user_id)
    )
    return {"nodes": len(nodes), "items": items, "records_in_graph": records}


def _after(seconds: float) -> Callable[[], bool]:
    end = perf_counter() + seconds
    return lambda: perf_counter() > end


async def _serve(memories: list[Memory], questions: list[str], over: Callable[[], bool]) -> Served:
    """One client for each memory, until it is over."""
    served = Served()

    async def client(memory: Memory) -> None:
        number = 0
        while not over():
            began = perf_counter()
            number += 1
            if number % WRITES_ONE_IN:
                await memory.search(SearchRequest(questions[number % len(questions)], limit=10))
                served.searches.append(perf_counter() - began)
            else:
                await memory.records.remember_text("Note", f"The boat lies in Hull since {began}.")
                served.writes.append(perf_counter() - began)
            await asyncio.sleep(max(0.0, PACE_S - (perf_counter() - began)))

    await asyncio.gather(*map(client, memories))
    return served


async def _erased(ground: Ground, user_id: UUID) -> tuple[Forgetting, dict[str, float]]:
    """The forgetting at its end, and the seconds of its steps, as they are seen from outside."""
    steps, users = defaultdict[str, float](float), ground.engine.workspace.users
    work: asyncio.Task[Forgetting] | None = asyncio.create_task(users.forget(user_id))
    known: UUID | None = None
    while work is not None:
        before = perf_counter()
        await asyncio.wait([work], timeout=EVERY_S)
        known = known or await _begun(ground, user_id)
        if known is None:
            continue
        one = await users.forgetting(known)
        steps[one.step or "receipt"] += perf_counter() - before
        if work.done():
            one = await work
            if one.over:
                return one, steps
            work = asyncio.create_task(users.forget(user_id))
    raise AssertionError("it ends by returning")


async def _begun(ground: Ground, user_id: UUID) -> UUID | None:
    found = await ground.engine.postgres.fetch_as_service(
        sql_text("bench/forgetting_of"), {"user_id": user_id}, row=UUID
    )
    return found[0] if found else None

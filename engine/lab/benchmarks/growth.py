"""Searches of a user of fixed size while the content of other users grows in the same stores.

The others are provisioned and ingested as usual, with a few turns; then their rows in Postgres and their records in the graph are
copied until they hold as much as asked for. So the shells, entities and indexes that they share with the user are real, and their
amount of items is that of many long histories, which would take hours to ingest.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from time import perf_counter
from typing import cast

from engine.domain.history import Conversation, History
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.ingest.pipeline import Ingest
from engine.lab.benchmarks.corpus import base_history, more_nodes, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.retrieval import asked_in, filled
from engine.memory import Memory
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.stores.statements import cypher, sql_in, sql_text

ITEMS = 1_000_000
OWN, OWN_NODES = 5000, 50
OTHERS, OTHER_NODES, OTHER_TURNS = 100, 20, 40
ROUNDS = 3
HITS = 10
COPIED = 500
"""Records of the graph that one statement copies."""
COPYING_S = 600.0
"""Time for one statement: those that copy and analyze take longer than a request may."""
TURNS_A_RECORD = 20
"""As long conversations have; the few turns of the others lie in records of two, so fewer records are copied than items."""


async def measure(settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS) -> Report:
    """Searches with 5,000 items of the user and about as many of others, then with `items` in all."""
    base = await base_history(data, settings.max_text_bytes, progress)
    questions = asked_in(base)
    patient = settings.model_copy(update={"statement_timeout_s": COPYING_S})
    async with empty_ground(patient, progress) as ground:
        memory = await filled(ground, base, progress, OWN, OWN_NODES)
        own = (await _amounts(ground))["items"]
        others = await _others(ground, base, progress)
        all_of = (await _amounts(ground))["items"]
        before = ground.meter.read()
        early = await _searched(ground, memory, questions)
        await _copied(ground, others, max(1, (items - all_of) // (all_of - own)), progress)
        amounts = await _amounts(ground)
        late = await _searched(ground, memory, questions)
        whole = ground.meter.read().since(before)
    (few, few_cpu), (many, many_cpu) = early, late
    p95 = [statistics.quantiles(seconds, n=20)[-1] for seconds in (few, many)]
    figures = (
        *percentiles("search, few items of others", few),
        Figure("search, few items of others, CPU", round(few_cpu, 2), "ms"),
        *percentiles(f"search, {amounts['items']:,} items in all", many),
        Figure("search, many items of others, CPU", round(many_cpu, 2), "ms"),
        at_most("p95 of many against few", p95[1] / p95[0], "times", 1.5),
        at_most("p50 of many against few", statistics.median(many) / statistics.median(few), "times", 1.5),
    )
    details = {"own_items": OWN, "own_nodes": OWN_NODES, "other_users": OTHERS, **amounts}
    return Report("growth", figures, whole.wall, dict(whole.cpu), details)


async def _others(ground: Ground, base: History, progress: Progress) -> list[Memory]:
    """Other users with nodes and some turns at each."""
    task, found = "other users", []
    nodes = more_nodes(base.nodes, OTHER_NODES - 1)
    paths = [(), *(node.path for node in nodes)]
    progress.start(task, OTHERS, "users")
    for number in range(OTHERS):
        texts = repeated(base.conversations, OTHER_TURNS, first_copy=1000 + number)
        turns = [turn for one in texts for turn in one.turns]
        conversations = tuple(
            Conversation(f"{number}-{place}", tuple(turns[place::OTHER_NODES]), node=path or None)
            for place, path in enumerate(paths)
        )
        memory = await ground.memory()
        await memory.ingests.history(History("bench", "Bench", conversations, nodes=nodes), Silent())
        found.append(memory)
        progress.advance(task)
    progress.finish(task)
    return found


async def _copied(ground: Ground, others: list[Memory], copies: int, progress: Progress) -> None:
    task = "copies"
    progress.start(task, len(others), "users")
    for memory in others:
        nodes = await ground.engine.parts[Ingest].nodes(memory.principal)
        async with ground.engine.postgres.service.connection() as connection:
            for node in nodes:
                await connection.execute(sql_in("bench/copied", node.schema_name), {"copies": copies})
        await _copied_in_graph(ground, memory.principal, copies * OTHER_TURNS // OTHER_NODES // TURNS_A_RECORD)
        progress.advance(task)
    progress.finish(task)


async def _copied_in_graph(ground: Ground, principal: Principal, copies: int) -> None:
    left = copies
    while left > 0:
        some = min(left, max(1, COPIED // OTHER_NODES))
        await ground.engine.neo4j.write(cypher("bench/records_copied"), user_id=str(principal.user_id), copies=some)
        left -= some


async def _amounts(ground: Ground) -> dict[str, int]:
    """How much there is, counted by the planner. Tables are vacuumed first: else the server does it beside the searches."""
    async with ground.engine.postgres.service.connection() as connection:
        await connection.execute("VACUUM (ANALYZE)")
        row = await (await connection.execute(sql_text("bench/amounts"))).fetchone()
    assert row is not None
    [records] = await ground.engine.neo4j.read(cypher("bench/records_counted"), row=int)
    return {**cast(dict[str, int], row), "records_in_graph": records}


async def _searched(ground: Ground, memory: Memory, questions: list[str]) -> tuple[list[float], float]:
    """The seconds of single searches after a round for warm-up, and CPU milliseconds of one, all processes."""
    seconds: list[float] = []
    before = ground.meter.read()
    for turn in range(ROUNDS + 1):
        if turn == 1:
            before = ground.meter.read()
        for question in questions:
            start = perf_counter()
            await memory.search(SearchRequest(question, limit=HITS))
            if turn:
                seconds.append(perf_counter() - start)
    return seconds, ground.meter.read().since(before).total_cpu / len(seconds) * 1000

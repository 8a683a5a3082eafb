"""Time, CPU and round trips of a search, compared with a hand-written search over the same rows in one table."""

from __future__ import annotations

import re
import statistics
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from engine.domain.history import Conversation, History
from engine.domain.search import SearchRequest
from engine.ingest.pipeline import Ingest
from engine.lab.benchmarks.corpus import base_history, more_nodes, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.meter import Reading
from engine.lab.benchmarks.report import Figure, Report, at_most, percentiles
from engine.lab.benchmarks.retrieval_shapes import clients, first_calls, indexed
from engine.lab.benchmarks.trips import Trips, counted
from engine.memory import Memory
from engine.progress import Progress
from engine.settings import Settings
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text

NODES, ITEMS = 50, 5000
USUAL = ((600, 1), (5000, 50), (10**9, 500))
"""How many nodes for at most so many items."""
QUESTIONS = 60
ROUNDS = 3
HITS = 10

_TASK = "search beside one table"


@dataclass(slots=True)
class Timed:
    """The seconds of single searches, and the clocks of all of them."""

    seconds: list[float]
    spent: list[Reading]

    @property
    def cpu(self) -> float:
        """CPU milliseconds of one search, all processes."""
        return sum(one.total_cpu for one in self.spent) / len(self.seconds) * 1000


async def measure(
    settings: Settings, data: Path | None, progress: Progress, items: int = ITEMS, nodes: int | None = None
) -> Report:
    """A user with 50 nodes and 5,000 items, or others; every question is run in every way, in turn, after a warm-up round.

    `nodes`: as many for these items as USUAL has, unless given.
    """
    nodes = nodes or next(few for most, few in USUAL if items <= most)
    base = await base_history(data, settings.max_text_bytes, progress)
    questions = asked_in(base)
    async with empty_ground(settings, progress) as ground:
        memory = await filled(ground, base, progress, items, nodes)
        more, before = await indexed(ground, memory, questions), ground.meter.read()
        async with ground.engine.postgres.service.connection() as connection:
            copied = await _one_table(ground, memory, connection)
            timed = await asked(ground, _ways(ground, memory, connection), questions, progress)
        stages = await _stages(memory, questions)
        trips = await _trips(ground, memory, questions)
        whole = ground.meter.read().since(before)
        more += [*await clients(memory, questions), *await first_calls(ground, memory, questions)]
    details = {
        "nodes": nodes,
        "items": copied,
        "asked_items": items,
        "questions": len(questions),
        "rounds": ROUNDS,
        "stages_ms": stages,
    }
    return _report(timed, trips, more, whole, details)


def asked_in(base: History) -> list[str]:
    """Questions of the history's own speakers, taken evenly from all of it."""
    sentences = (
        sentence.strip()
        for conversation in base.conversations
        for turn in conversation.turns
        for sentence in re.split(r"(?<=[.!?])\s+", turn.text)
    )
    found = [sentence for sentence in sentences if sentence.endswith("?") and 4 <= len(sentence.split()) <= 30]
    found = found or [conversation.turns[0].text[:200] for conversation in base.conversations if conversation.turns]
    step = max(len(found) // QUESTIONS, 1)
    return found[::step][:QUESTIONS]


async def filled(ground: Ground, base: History, progress: Progress, items: int = ITEMS, amount: int = NODES) -> Memory:
    """The user's memory: whole conversations at each node in turn, so that all nodes hold about as much."""
    nodes = more_nodes(base.nodes, amount - 1)  # the root is the last
    paths = [(), *(node.path for node in nodes)]
    conversations = tuple(
        Conversation(one.source_id, one.turns, one.title, one.started_at, paths[number % amount] or None)
        for number, one in enumerate(repeated(base.conversations, items))
    )
    memory = await ground.memory()
    await memory.ingests.history(History("bench", "Bench", conversations, nodes=nodes), progress)
    return memory


async def _one_table(ground: Ground, memory: Memory, connection: Connection) -> int:
    """Copies the rows into a temporary table for the baseline; returns their number."""
    await connection.execute(sql_text("bench/table"))
    items = 0
    for node in await ground.engine.parts[Ingest].nodes(memory.principal):
        cursor = await connection.execute(sql_in("bench/fill", node.schema_name))
        items += cursor.rowcount
    await connection.execute(sql_text("bench/analyze"))
    return items


Way = Callable[[str], Awaitable[object]]


def _ways(ground: Ground, memory: Memory, connection: Connection) -> dict[str, Way]:
    """The ways to search, each including the encoding of the question."""
    embedder, query = ground.engine.embedder, sql_text("bench/search")

    async def search(question: str) -> object:
        return await memory.search(SearchRequest(question, limit=HITS))

    async def widened(question: str) -> object:
        return await memory.search(SearchRequest(question, limit=HITS, widen="always"))

    async def one_table(question: str) -> object:
        parameters = {"question": question, "vector": (await embedder.embed_query(question)).vector, "limit": HITS}
        return await (await connection.execute(query, parameters)).fetchall()

    async def encoder(question: str) -> object:
        return await embedder.embed_query(question)

    return {"search": search, "widened": widened, "one_table": one_table, "encoder": encoder}


async def asked(ground: Ground, ways: dict[str, Way], questions: list[str], progress: Progress) -> dict[str, Timed]:
    """Runs every question in every way, in turn; the first round is a warm-up."""
    timed = {name: Timed([], []) for name in ways}
    progress.start(_TASK, (ROUNDS + 1) * len(ways) * len(questions), "searches")
    for turn in range(ROUNDS + 1):
        for name, way in ways.items():
            before = last = ground.meter.read()
            for question in questions:
                await way(question)
                now = ground.meter.read()
                if turn:
                    timed[name].seconds.append(now.wall - last.wall)
                last = now
                progress.advance(_TASK)
            if turn:
                timed[name].spent.append(last.since(before))
    progress.finish(_TASK)
    return timed


async def _trips(ground: Ground, memory: Memory, questions: list[str]) -> list[Trips]:
    found = []
    for question in questions[:20]:
        async with counted(ground.engine) as trips:
            await memory.search(SearchRequest(question, limit=HITS))
        found.append(trips)
    return found


async def _stages(memory: Memory, questions: list[str]) -> dict[str, float]:
    """The median of every step of a search, in milliseconds."""
    answers = [await memory.search(SearchRequest(question, limit=HITS)) for question in questions]
    steps = answers[0].timings_ms
    return {step: statistics.median(answer.timings_ms[step] for answer in answers) for step in steps}


def _report(
    timed: dict[str, Timed], trips: list[Trips], more: list[Figure], whole: Reading, details: dict[str, object]
) -> Report:
    """The figures of all ways, the trips, and `more`."""
    postgres, neo4j = max(trip.postgres for trip in trips), max(trip.neo4j for trip in trips)
    titles = {
        "search": "search",
        "widened": "search of all nodes",
        "one_table": "one table, by hand",
        "encoder": "of which the encoder",
    }
    figures: list[Figure] = []
    for name, title in titles.items():
        figures += percentiles(title, timed[name].seconds)
        figures.append(Figure(f"{title}, CPU", round(timed[name].cpu, 2), "ms"))
    against = statistics.median(timed["search"].seconds) / statistics.median(timed["one_table"].seconds)
    figures.append(
        at_most("search against one table, p50", against, "times", 1.0 if details["asked_items"] == ITEMS else 1.2)
    )
    figures += [
        Figure("Postgres trips of a search", postgres, "trips", "at most 2", all(one.postgres <= 2 for one in trips)),
        Figure("Neo4j trips of a search", neo4j, "trips", "exactly 1", all(one.neo4j == 1 for one in trips)),
        *more,
    ]
    return Report("retrieval", tuple(figures), whole.wall, dict(whole.cpu), details)

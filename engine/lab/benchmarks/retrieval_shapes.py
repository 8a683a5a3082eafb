"""Parts of the retrieval benchmark: the first search of every shape, many clients at once, and how much of a whole scan the
indexes of a large node find."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import mean, median
from time import perf_counter
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.search import SearchAnswer, SearchRequest
from engine.lab.benchmarks.ground import Ground
from engine.lab.benchmarks.report import Figure, at_least, at_most
from engine.lifecycle.large_nodes import LargeNodes
from engine.memory import Memory
from engine.wiring.open_engine import open_engine

REPEATS = 10
"""Searches of a shape after its first."""
CLIENTS, EACH = 16, 10
"""Clients at once, and the searches of each."""
HITS = 10

Shape = Callable[[str], Awaitable[object]]


async def first_calls(ground: Ground, memory: Memory, questions: Sequence[str]) -> list[Figure]:
    """The first search of every shape on a warm server, against the median of the same shape; a new process for the last."""
    figures = []
    for name, shape in (await _shapes(ground, memory)).items():
        figures += _first(name, await _seconds(shape, questions))
    async with open_engine(ground.engine.settings) as other:
        figures += _first("new process", await _seconds(_shape(other.memory(memory.principal.user_id)), questions))
    return figures


async def _seconds(shape: Shape, questions: Sequence[str]) -> list[float]:
    found = []
    for number in range(1 + REPEATS):
        start = perf_counter()
        await shape(questions[number % len(questions)])
        found.append(perf_counter() - start)
    return found


def _first(name: str, seconds: Sequence[float]) -> list[Figure]:
    against = at_most(f"first against the median, {name}", seconds[0] / median(seconds[1:]), "times", 3)
    return [Figure(f"first search, {name}", round(seconds[0] * 1000, 2), "ms"), against]


async def _shapes(ground: Ground, memory: Memory) -> dict[str, Shape]:
    past = datetime.now(UTC) - timedelta(seconds=1)
    user = memory.principal.user_id
    persona = await memory.nodes.provision(NewNode(user, "Assistant of the bench", "persona"))
    integration = await ground.engine.workspace.integrations.create("bench shapes")

    async def reader(kind: str, subject: UUID) -> Shape:
        await memory.grants.give(NewGrant(user, kind, subject, depth=5, past=True))  # type: ignore[arg-type]
        return _shape(ground.engine.memory_as(Principal(kind, subject, user)))  # type: ignore[arg-type]

    async def long(question: str) -> object:
        return await memory.search(SearchRequest(" ".join([question] * 40)[:3900], limit=HITS))

    return {
        "now": _shape(memory),
        "as_of": _shape(memory, Moment(as_of=past)),
        "known_at": _shape(memory, Moment(known_at=past)),
        "both clocks": _shape(memory, Moment(past, past)),
        "long question": long,
        "persona": await reader("persona", persona.node_id),
        "integration": await reader("third_party", integration.integration_id),
    }


def _shape(memory: Memory, moment: Moment | None = None) -> Shape:
    async def search(question: str) -> object:
        return await memory.search(SearchRequest(question, limit=HITS, moment=moment or Moment()))

    return search


async def clients(memory: Memory, questions: Sequence[str]) -> list[Figure]:
    """Searches a second of many clients at once, and against one client alone."""
    one = await _rate(memory, questions, 1, CLIENTS * EACH // 4)
    many = await _rate(memory, questions, CLIENTS, EACH)
    return [
        Figure("one client", round(one, 2), "searches/s"),
        Figure(f"{CLIENTS} clients", round(many, 2), "searches/s"),
        at_least(f"{CLIENTS} clients against one", many / one, "times", 1.6),
    ]


async def _rate(memory: Memory, questions: Sequence[str], clients: int, each: int) -> float:
    async def client(first: int) -> None:
        for number in range(first, first + each):
            await memory.search(SearchRequest(questions[number % len(questions)], limit=HITS))

    start = perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(client(number * each))
    return clients * each / (perf_counter() - start)


async def indexed(ground: Ground, memory: Memory, questions: Sequence[str]) -> list[Figure]:
    """Builds the indexes of large nodes; where there are any, how much of a whole scan a search by them finds."""
    start = perf_counter()
    built = (await LargeNodes(ground.engine.postgres, ground.engine.settings.index_items).run()).built
    if not built:
        return []
    recalls = []
    for question in questions:
        found = await memory.search(SearchRequest(question, limit=HITS, widen="always"))
        whole = await memory.search(SearchRequest(question, limit=HITS, widen="always", kinds=("turn",)))
        recalls.append(len(_items(found) & _items(whole)) / max(len(whole.hits), 1))
    return [
        Figure("indexes built in", round(perf_counter() - start, 1), "s"),
        at_least(f"hits of a whole scan that indexes find, of {HITS}", mean(recalls), "", 0.97),
    ]


def _items(answer: SearchAnswer) -> set[UUID]:
    return {hit.item_id for hit in answer.hits}

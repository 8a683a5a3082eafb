"""Network round trips, counted by the drivers' own hooks: libpq's protocol trace and the Bolt log."""

from __future__ import annotations

import math

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.ingest.pipeline import Ingest
from engine.ingest.sources import Pending
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent


@pytest.mark.ledger("N24", "X02")
async def test_a_search_is_one_cypher_trip_and_two_sql_trips(engine: Engine, memory: Memory, user: User) -> None:
    for number in range(12):
        node = await memory.nodes.provision(NewNode(user.user_id, f"Topic {number}", keywords=(f"word{number}",)))
        turns = tuple(Turn("Bob", f"We spoke of word{number} and of walleye {turn}.") for turn in range(10))
        await memory.records.remember(Conversation(f"c{number}", turns), node_id=node.node_id)
    nothing = SearchRequest("zzz", kinds=("observation",))
    for request in (SearchRequest("What of word3?"), SearchRequest("walleye", widen="always"), nothing):
        async with counted(engine) as trips:
            answer = await memory.search(request)
        assert (trips.neo4j, trips.postgres) == (1, 1 if request is nothing else 2)  # contents of what is shown
        assert request is nothing or answer.items_searched >= 10


async def test_a_batch_is_at_most_three_trips_to_each_database(engine: Engine, memory: Memory, user: User) -> None:
    await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    await memory.nodes.provision(NewNode(user.user_id, "Finances", keywords=("invoice",)))
    turns = [Turn("Bob", f"The walleye number {n}." if n % 20 < 10 else f"The invoice number {n}.") for n in range(640)]
    await memory.records.remember(Conversation("warm", tuple(turns[:32])))
    contents = [memory_pending(f"c{start}", turns[start : start + 32]) for start in range(0, 640, 32)]
    async with counted(engine) as trips:
        stored = (await engine.parts[Ingest].store(memory.principal, contents, Silent())).stored
    batches = len(stored)
    assert sum(commit.turns for commit in stored) == 640
    full = math.ceil(640 / engine.settings.batch_turns)
    assert full <= batches <= full + 2  # the last ones get smaller
    assert trips.postgres <= 3 * batches
    assert trips.neo4j <= 3 * batches


def memory_pending(name: str, turns: list[Turn]):
    return Pending(Conversation(name, tuple(turns)))

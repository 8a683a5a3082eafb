"""Network round trips, counted by the drivers' own hooks: libpq's protocol trace and the Bolt log."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.ingest.pipeline import Pending
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent


@dataclass
class Trips:
    """Round trips made inside the block; filled at its end."""

    postgres: int = 0
    neo4j: int = 0


class BoltLog(logging.Handler):
    """Counts how often a connection turns from sending to receiving."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.trips = 0
        self._sending: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        match = re.match(r"\[#(\w+)\].*?([CS]): [A-Z]", record.getMessage())
        if match is None:
            return
        connection, side = match.groups()
        if side == "C":
            self._sending.add(connection)
        elif connection in self._sending:
            self._sending.discard(connection)
            self.trips += 1


@asynccontextmanager
async def counted(engine: Engine, folder: Path) -> AsyncIterator[Trips]:
    trips = Trips()
    bolt, log, trace = BoltLog(), logging.getLogger("neo4j.io"), folder / "trace"
    level, pool = log.level, engine.postgres.request  # the service's own recovery goes on beside
    with trace.open("wb") as target:
        traced = []
        async with AsyncExitStack() as stack:
            for _ in range(pool.get_stats()["pool_available"]):
                traced.append(await stack.enter_async_context(pool.connection()))
            for connection in traced:
                connection.pgconn.trace(target.fileno())
        log.addHandler(bolt)
        log.setLevel(logging.DEBUG)
        try:
            yield trips
        finally:
            log.removeHandler(bolt)
            log.setLevel(level)
            for connection in traced:
                connection.pgconn.untrace()
    trips.postgres = len(re.findall(rb"^[^\n]*\tF\t\d+\t(?:Sync|Query)\b", trace.read_bytes(), re.MULTILINE))
    trips.neo4j = bolt.trips


@pytest.mark.ledger("N24", "X02")
async def test_a_search_is_one_cypher_trip_and_one_sql_trip(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    for number in range(12):
        node = await memory.provision(NewNode(user.user_id, f"Topic {number}", keywords=(f"word{number}",)))
        turns = tuple(Turn("Bob", f"We spoke of word{number} and of walleye {turn}.") for turn in range(10))
        await memory.remember(Conversation(f"c{number}", turns), node_id=node.node_id)
    for request in (SearchRequest("What of word3?"), SearchRequest("walleye", widen="always"), SearchRequest("zzz")):
        async with counted(engine, tmp_path) as trips:
            answer = await memory.search(request)
        assert (trips.neo4j, trips.postgres) == (1, 1)
        assert answer.items_searched >= 10


async def test_a_batch_of_32_turns_is_at_most_three_trips_to_each_database(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    await memory.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    await memory.provision(NewNode(user.user_id, "Finances", keywords=("invoice",)))
    turns = [Turn("Bob", f"The walleye number {n}." if n % 20 < 10 else f"The invoice number {n}.") for n in range(320)]
    await memory.remember(Conversation("warm", tuple(turns[:32])))
    contents = [memory_pending(f"c{start}", turns[start : start + 32]) for start in range(0, 320, 32)]
    async with counted(engine, tmp_path) as trips:
        stored, _ = await engine.parts.ingest.store(memory.principal, contents, Silent())
    batches = len(stored)
    assert sum(commit.turns for commit in stored) == 320 and batches == 10
    assert trips.postgres <= 3 * batches
    assert trips.neo4j <= 3 * batches


def memory_pending(name: str, turns: list[Turn]):
    return Pending(Conversation(name, tuple(turns)))

"""A process killed while it makes a replay goes on where it was; one killed while it swaps has swapped all or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.search import SearchRequest
from engine.ingest.rereading.replays import PAGE
from engine.ingest.sources import Pending
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.faults import replay_victim
from tests.faults.killing import lived
from tests.model_server import Asked, model_server
from tests.reader import reader

RECORDS = PAGE + 5
"""Records that no model has read, each with a twin whose answer is kept."""


def answer(asked: Asked) -> dict[str, object]:
    number = asked.text.split("number ")[1].split()[0]
    return {"summary": f"Heron {number}.", "facts": [{"text": f"Heron {number} left."}]}


@pytest.fixture
async def memory(engine: Engine, settings: Settings, user: User) -> AsyncIterator[Memory]:
    """A memory of which half of the records come out otherwise, opened with the model's name."""

    def talks(twin: str) -> list[Pending]:
        turns = [(Turn("Bob", f"Heron number {number} nests here."),) for number in range(RECORDS)]
        return [Pending(Conversation(f"{twin}{number}", turn, "Herons")) for number, turn in enumerate(turns)]

    with model_server(answer) as server:
        async with reader(settings, server) as reads:
            await engine.memory(user.user_id).ingests.store(talks("a"))
            await reads.memory(user.user_id).ingests.store(talks("b"))
            yield reads.memory(user.user_id)


async def facts(memory: Memory) -> int:
    answer = await memory.search(SearchRequest("heron", limit=100, kinds=("fact",), widen="always"))
    return sum(hit.content.endswith("left.") for hit in answer.hits)


@pytest.mark.ledger("X04")
async def test_a_replay_goes_on_where_it_was_killed(engine: Engine, user: User, memory: Memory) -> None:
    assert not await lived(engine, replay_victim, user.handle, "replay_staged", "2")
    replay = await memory.replays.begin()
    assert (replay.state, replay.total, replay.counts.records) == ("building", 2 * RECORDS, 2 * PAGE)
    assert await facts(memory) == RECORDS
    built = await memory.replays.build(replay.replay_id)
    assert (built.state, built.counts.records, built.counts.differing) == ("built", 2 * RECORDS, RECORDS)
    assert (built.counts.added, built.counts.ended, built.counts.missing) == (RECORDS, RECORDS, 0)


@pytest.mark.ledger("X04")
@pytest.mark.parametrize(
    ("step", "swapped"), [("replay_page_swapped", False), ("replay_swapped", True), ("replay_applied", True)]
)
async def test_a_swap_is_all_or_nothing(engine: Engine, user: User, memory: Memory, step: str, swapped: bool) -> None:
    replay = await memory.replays.build((await memory.replays.begin()).replay_id)
    assert not await lived(engine, replay_victim, user.handle, step, "1")
    assert await facts(memory) == RECORDS * (1 + swapped)  # before anybody recovered anything
    assert (await memory.replays.get(replay.replay_id)).state == ("swapped" if swapped else "built")
    await engine.outbox.recover(limit=100)
    assert await engine.doctor.examine() == []
    assert (await memory.nodes.shell(user.user_id)).items == 3 * RECORDS + RECORDS * swapped
    done = await memory.replays.swap(replay.replay_id)
    assert (done.state, done.counts.differing) == ("swapped", RECORDS)
    assert await facts(memory) == 2 * RECORDS
    assert (await memory.nodes.shell(user.user_id)).items == 4 * RECORDS
    assert await engine.doctor.examine() == []

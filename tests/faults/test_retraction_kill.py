"""A process killed while it withdraws a source leaves each of its records as it was or withdrawn; the next call goes on."""

from __future__ import annotations

from uuid import uuid4

import pytest

from engine.commit.outbox import STEPS
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.faults import retraction_victim
from tests.faults.killing import all_agree, lived
from tests.faults.retraction_victim import SOURCE


async def left(memory: Memory) -> tuple[int, int]:
    """How many turns a search finds, and how many records mention Ellen."""
    found = (await memory.search(SearchRequest("Ellen Harlan works", limit=50, widen="always"))).hits
    mentions = [one.mentions for one in await memory.entities.list(everything=True) if one.name == "Ellen Harlan"]
    return len(found), sum(mentions)


@pytest.mark.ledger("X06", "N15")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("operation", ["retract", "undo"])
async def test_each_record_is_withdrawn_or_not_and_the_next_call_goes_on(
    engine: Engine, operation: str, step: str
) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, retraction_victim, handle, operation, step)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    await all_agree(engine)
    [begun] = await memory.retractions.list()
    assert (begun.state, begun.waiting) == ("running" if operation == "retract" else "undoing", 1)
    remaining = 1 if operation == "retract" else 2
    assert await left(memory) == (remaining, remaining)
    if operation == "retract":
        assert (await memory.retractions.retract(SOURCE)).retraction_id == begun.retraction_id
        assert await left(memory) == (0, 0)
    undone = await memory.retractions.undo(begun.retraction_id)
    assert (undone.state, undone.waiting) == ("undone", 0)
    assert await left(memory) == (3, 3)
    await all_agree(engine)

"""A process that forgets is killed at every step: the forgetting goes on, and nothing of the forgotten is left."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from engine.domain.forgetting import ForgettingSubject
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.forgetting.erasure import OF_RECORDS, OF_USER, Erasure
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.faults import forgetting_victim
from tests.faults.killing import lived
from tests.forgetting.searched import found
from tests.forgetting.test_users import finished

AT = datetime(2026, 5, 1, tzinfo=UTC)
STEPS = ["forgetting_page", *(f"forgetting_{step}" for _, step in OF_RECORDS[:-1])]
LONG_STEPS = {"forgetting_withdraw", "forgetting_graph", "forgetting_objects_again"}
"""Steps at which it is killed in the long form only."""


@pytest.mark.ledger("F13")
@pytest.mark.parametrize("step", STEPS)
async def test_a_forgetting_that_was_killed_goes_on(engine: Engine, memory: Memory, step: str, long: bool) -> None:
    if step in LONG_STEPS and not long:
        pytest.skip("in the long form")
    user, boat = memory.principal.user_id, f"Marmolite{uuid4().hex[:8]}"
    told = (Turn("user", f"My boat is called {boat}. It lies in Galway.", AT),)
    await memory.records.remember(Conversation(f"{boat}-chat", told), node_id=user)
    assert await found(engine, [boat])

    arguments = (str(user), "source", f"{boat}-chat", step)
    assert not await lived(engine, forgetting_victim, *arguments)
    erasure = engine.parts[Erasure]
    subject = ForgettingSubject("source", f"{boat}-chat")
    one = await erasure.forgettings.open(user, subject)
    assert one is not None and not one.over
    one = await erasure.carry_on(one, within_s=300)
    done = await finished(engine, one)
    assert (done.state, await found(engine, [boat])) == ("done", set())


@pytest.mark.ledger("F13")
@pytest.mark.parametrize("step", [f"forgetting_{step}" for _, step in OF_USER[1:3]])
async def test_the_forgetting_of_a_user_that_was_killed_goes_on(engine: Engine, memory: Memory, step: str) -> None:
    user, boat = memory.principal.user_id, f"Marmolite{uuid4().hex[:8]}"
    await memory.records.remember_text(boat, f"The {boat} lies in Galway.")
    assert not await lived(engine, forgetting_victim, str(user), "user", str(user), step)
    one = await engine.workspace.users.forget(user)
    done = await finished(engine, one)
    assert (done.state, await found(engine, [boat, str(user)])) == ("done", set())


@pytest.mark.ledger("F13")
@pytest.mark.parametrize("step", [step for step in ["forgetting_node", *STEPS] if step not in LONG_STEPS])
async def test_the_forgetting_of_a_node_that_was_killed_goes_on(
    engine: Engine, memory: Memory, step: str, long: bool
) -> None:
    if step not in ("forgetting_node", "forgetting_hold", "forgetting_rows") and not long:
        pytest.skip("in the long form")
    user, boat = memory.principal.user_id, f"Marmolite{uuid4().hex[:8]}"
    node = await memory.nodes.provision(NewNode(user, boat))
    below = await memory.nodes.provision(NewNode(node.node_id, f"{boat} below"))
    for place in (node, below):
        text = f"The {boat} lies in Galway, at {place.node_id}."
        await memory.records.remember_text(boat, text, node_id=place.node_id)
    assert not await lived(engine, forgetting_victim, str(user), "node", str(node.node_id), step)
    erasure = engine.parts[Erasure]
    one = await erasure.forgettings.open(user, ForgettingSubject("node", str(node.node_id)))
    assert one is not None and not one.over
    one = await erasure.carry_on(one, within_s=300)
    done = await finished(engine, one)
    words = [boat, str(node.node_id), str(below.node_id)]
    assert (done.state, await found(engine, words)) == ("done", set())

"""Denied and missing take the same path: the same statements, trips and log lines, the same error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.errors import NeurigraphError
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine

OPERATIONS: dict[str, Callable[[Memory, UUID], Awaitable[object]]] = {
    "shell": lambda memory, node: memory.nodes.shell(node),
    "metadata": lambda memory, node: memory.nodes.metadata(node),
    "file": lambda memory, node: memory.files.read(node, uuid4()),
    "store": lambda memory, node: memory.records.remember_text("t", "walleye", node_id=node),
    "provision": lambda memory, node: memory.nodes.provision(NewNode(node, "Child")),
    "relate": lambda memory, node: memory.edges.make(node, uuid4(), "X"),
}

TRIES = 3


async def refused(engine: Engine, memory: Memory, operation: str, node: UUID) -> tuple[object, ...]:
    """Everything of a refused request that somebody could see."""
    async with counted(engine) as trips:
        with pytest.raises(NeurigraphError) as caught:
            await OPERATIONS[operation](memory, node)
    error = caught.value
    return type(error), error.detail, vars(error).keys(), trips.postgres, trips.neo4j


async def refused_alone(engine: Engine, memory: Memory, operation: str, node: UUID) -> tuple[object, ...]:
    """The same without the trips of the engine's own background, which may fall into one of several tries."""
    return min([await refused(engine, memory, operation, node) for _ in range(TRIES)], key=lambda result: result[-2:])


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", ["persona", "third_party", "user"])
async def test_denied_and_missing_take_the_same_path(engine: Engine, kind: str, operation: str) -> None:
    user = await engine.workspace.users.create(f"o{uuid4().hex[:12]}")
    owner = engine.memory(user.user_id)
    hidden = (await owner.nodes.provision(NewNode(user.user_id, "Hidden"))).node_id
    await owner.records.remember(Conversation("c", (Turn("Bob", "The walleye."),)), node_id=hidden)
    persona = (await owner.nodes.provision(NewNode(user.user_id, "Persona", "persona"))).node_id
    principal = {
        "persona": Principal("persona", persona, user.user_id),
        "third_party": Principal("third_party", uuid4(), user.user_id),
        "user": Principal("user", (await engine.workspace.users.create(f"o{uuid4().hex[:12]}")).user_id, user.user_id),
    }[kind]
    memory = engine.memory_as(principal)
    await refused(engine, memory, operation, hidden)  # the connections know the statements from here
    denied, missing = [await refused_alone(engine, memory, operation, node) for node in (hidden, uuid4())]
    assert denied == missing
    entries = [entry for entry in await owner.grants.log() if entry.event == "refused"]
    assert {entry.node_id for entry in entries} == {hidden} and sum(entry.requests for entry in entries) == 1 + TRIES

"""The session's engine while its embedding versions change: they hold for all users of an instance, so others have none then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from engine.domain.embedding import ModelChoice, Pace
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchAnswer, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.wiring.warming import warm_writes
from tests.session_stores import administrator, empty

E5, MINILM = "onnx-e5-small-1", "onnx-minilm-1"
FAST = Pace(duty=1)
TURNS = tuple(
    Turn("Bob" if number % 2 else "Dave", f"{text} It was day {number}.")
    for number, text in enumerate(
        (
            "The boat takes water at the stern.", "My sister bakes bread on Sundays.", "The walleye bite at dusk.",
            "We painted the shed green.", "The lawyer wants the lease by Friday.", "Her knee hurts when it rains.",
            "The dog is afraid of thunder.", "They moved to a flat by the harbour.", "Tickets for the concert are gone.",
            "The apples are ripe and heavy.", "Grandmother's clock stopped again.", "The engine needs a new gasket.",
        ) * 4
    )
)  # fmt: skip
QUESTIONS = ("Which animal fears storms?", "What leaks?", "Who makes loaves?", "What about the fruit?", "walleye")


@pytest.fixture
async def engine(engine: Engine) -> AsyncIterator[Engine]:
    """The session's engine without users, searched with e5-small and without another version at the beginning and the end."""
    await empty(engine)  # a version is built for all of them
    await warm_writes(engine)  # where the server has just started, for longer than a statement may take
    assert [(one.name, one.slot) for one in await engine.workspace.embeddings.list()] == [(E5, "a")]
    yield engine
    await empty(engine)
    async with administrator(engine) as connection:
        await connection.execute("DELETE FROM engine.embedding_versions WHERE name <> %s", [E5])
        await connection.execute(
            "UPDATE engine.embedding_versions SET slot = 'a', status = 'active', archived_at = NULL"
        )
    active = engine.active
    active._model = await active.model_of(await active._find())  # it may have lain in the other slot


@pytest.fixture
async def memory(engine: Engine) -> Memory:
    """The memory of somebody with two nodes and some turns at each."""
    user = await engine.workspace.users.create(f"v{uuid4().hex[:12]}", "Bob Harlan")
    memory = engine.memory(user.user_id)
    for name in ("Work", "Home"):
        node = await memory.nodes.provision(NewNode(user.user_id, name, summary=f"What happens at {name}."))
        await memory.records.remember(Conversation(f"talk at {name}", TURNS), node_id=node.node_id)
    await memory.records.remember_text(
        "Notes", "# Boat\n\nThe hull needs paint and the mast a new stay.", node_id=user.user_id
    )
    return memory


async def canary(engine: Engine, model: str = "minilm") -> str:
    """A canary with all its vectors."""
    version = await engine.workspace.embeddings.start(ModelChoice("onnx", model))
    report = await engine.workspace.embeddings.build(pace=FAST)
    assert report.remaining == 0
    return version.name


def shown(answer: SearchAnswer) -> list[tuple[object, ...]]:
    """What an answer says, to the last digit of its scores."""
    return [(hit.item_id, hit.score) for hit in answer.hits]


async def asked(memory: Memory) -> list[SearchAnswer]:
    return [await memory.search(SearchRequest(question, limit=20, widen="always")) for question in QUESTIONS]

"""An engine whose embedding versions change, on a home of its own: they hold for all users of an instance."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.embedding import ModelChoice, Pace
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchAnswer, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.session_stores import empty

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


@pytest.fixture(scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> AsyncIterator[Engine]:
    """An engine on a home that only this module uses."""
    home = tmp_path_factory.mktemp("versions")
    settings = Settings(_env_file=None, home=home, cache=cache, workspace="tests", openai_api_key=None)
    async with open_engine(settings) as engine:
        yield engine


@pytest.fixture
async def engine(own: Engine) -> AsyncIterator[Engine]:
    """The same without users, searched with e5-small and without another version at the beginning and the end."""
    await empty(own)  # a version is built for all of them
    yield own
    versions = await own.workspace.embeddings.list()
    active = next(version for version in versions if version.status == "active")
    if active.name != E5:
        for version in versions:
            if version.status == "canary":
                await own.workspace.embeddings.drop(version.name)
        await own.workspace.embeddings.start(ModelChoice("onnx", "e5-small"))
        await own.workspace.embeddings.build(pace=FAST)
        await own.workspace.embeddings.promote()
    for version in versions:
        if version.name != E5:
            await own.workspace.embeddings.drop(version.name)


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

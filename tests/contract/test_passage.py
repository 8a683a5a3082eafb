"""How much code a request passes: who reads the write path or the search has to open no more files than these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from engine.commit.unit_of_work import UnitOfWork
from engine.domain.node import NewNode, User
from engine.memory import Memory
from engine.retrieval.hits import rationale
from tests.contract.passage import Passage, counted

TURNS = (
    {"speaker": "Bob", "text": "The walleye bite at dusk near the pier."},
    {"speaker": "Ann", "text": "Which bait do you use?"},
    {"speaker": "Bob", "text": "Leeches, and the invoice for the boat came today."},
)
TOPICS = {"Fishing": "walleye", "Finances": "invoice", "Family": "sister", "Work": "lathe"}

DOOR = "api/"
BELOW = ("engine/stores/", "engine/providers/", "engine/telemetry/")
RULES = tuple(
    f"engine/{room}/" for room in ("entities", "facts", "knowledge", "language", "naming", "relations", "statements")
)
"""What finds names, entities and relations, and what words say of time and do to known facts: pure rules behind `entities.spoken` and a question."""


def own(passage: Passage) -> list[str]:
    """The files of the operation itself: without those of the door but for the route, which are the same for every request, and
    without the drivers of stores and models, and without what makes spans."""
    return sorted(
        file
        for file in passage.files
        if not file.startswith((*BELOW, *RULES)) and (not file.startswith(DOOR) or file.startswith(f"{DOOR}routes/"))
    )


@pytest.fixture
async def passed(
    door: httpx.AsyncClient, home_path: str, memory: Memory, user: User, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """The passage of a second request of a kind: what is prepared once is there then. No node needs to be created for it, and
    there is no language model."""
    for name, word in TOPICS.items():
        node = await memory.nodes.provision(NewNode(user.user_id, name, keywords=(word,)))
        await memory.records.remember_text(name, f"A note of {word}.", node_id=node.node_id)

    async def request(
        path: str,
        first: dict[str, Any],
        second: dict[str, Any],
        end: Callable[..., Any],
        headers: dict[str, str] | None = None,
    ) -> Passage:
        await door.post(f"{home_path}/{path}", json=first)
        with counted(monkeypatch, end) as passage:
            answer = await door.post(f"{home_path}/{path}", json=second, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return passage

    return request


@pytest.mark.parametrize(
    ("case", "most_files", "most_own", "most_frames"),
    [("rules", 100, 52, 17), ("node given", 98, 50, 17), ("idempotency key", 103, 55, 20)],
)
async def test_a_conversation_from_rest_to_its_commit(
    passed: Callable[..., Any], user: User, case: str, most_files: int, most_own: int, most_frames: int
) -> None:
    """Until the row of the outbox is written; where rules assign the turns to nodes, where a node is given, with a key."""
    at = {"node_id": str(user.user_id)} if case == "node given" else {}
    headers = {"Idempotency-Key": "c2"} if case == "idempotency key" else None
    first, second = [{"conversation": {"id": name, "turns": TURNS}} | at for name in ("c1", "c2")]
    passage = await passed("records", first, second, UnitOfWork.accept, headers)
    assert len(passage.files) <= most_files, "\n".join(sorted(passage.files))
    assert len(own(passage)) <= most_own, "\n".join(own(passage))
    assert len(passage.frames) <= most_frames, "\n".join(passage.frames)


async def test_a_search_from_rest_to_its_hits(passed: Callable[..., Any]) -> None:
    """Until the reason of the first hit is given."""
    passage = await passed("search", {"query": "What of the walleye?"}, {"query": "What of the invoice?"}, rationale)
    assert len(passage.files) <= 61, "\n".join(sorted(passage.files))
    assert len(own(passage)) <= 37, "\n".join(own(passage))
    assert len(passage.frames) <= 20, "\n".join(passage.frames)

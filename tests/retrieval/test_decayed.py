"""A search with decay by age: ordered by the final score, through Python, REST and the shell, and as SQL function."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from engine.domain.clock import Moment
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.scope import MemoryScope
from engine.domain.search import DecayRequest, Filters
from engine.errors import InvalidInput
from engine.hierarchy.shells import Shells
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

NOW = datetime.now(UTC)
QUESTION = "Did the walleye at Loon Lake weigh eleven pounds?"
SAME = "The walleye at Loon Lake weighed eleven pounds."
NEAR = ("The walleye weighed a lot at Loon Lake.", "We fished walleye at Loon Lake.", "Loon Lake has walleye.")


@pytest.fixture
async def fish(memory: Memory) -> None:
    """The best answer is ten years old; what is near is of last week; the rest is about other things."""
    texts = (
        (SAME, 3650),
        *((text, 7) for text in NEAR),
        *((f"The invoice number {n} was paid.", 90 + n) for n in range(40)),
    )
    for number, (text, age) in enumerate(texts):
        at = NOW - timedelta(days=age)
        await memory.records.remember(Conversation(f"c{number}", (Turn("Bob", text, at=at),), started_at=at))


@pytest.mark.ledger("M07")
async def test_the_best_by_the_final_score_come_first_not_the_nearest_ordered_again(
    engine: Engine, memory: Memory, fish: None
) -> None:
    async with counted(engine) as trips:
        [best] = (await memory.search_decayed(DecayRequest(QUESTION, 1, 30, kinds=("turn",)))).hits
    assert (trips.neo4j, trips.postgres) == (0, 2)
    assert best.content in NEAR  # which the limit would have cut, had the nearest been ordered again
    every = await memory.search_decayed(DecayRequest(QUESTION, 200, 30, kinds=("turn",)))
    assert max(every.hits, key=lambda hit: hit.signals["cosine"]).content == SAME
    scores = [hit.score for hit in every.hits]
    assert scores == sorted(scores, reverse=True) and every.hits[0].item_id == best.item_id
    assert every.items_searched >= 44 and len(every.hits) >= 44
    for hit in every.hits:
        signals = hit.signals
        assert hit.occurred_at is not None
        age = (datetime.now(UTC) - hit.occurred_at).total_seconds() / 86400
        assert signals["decay"] == pytest.approx(1 / (1 + age / 30), abs=1e-3)
        assert hit.score == pytest.approx(signals["cosine"] * signals["confidence"] * signals["decay"], abs=1e-3)
        assert f"decay {signals['decay']:.2f}" in hit.why


@pytest.mark.ledger("M07")
async def test_confidence_counts_and_has_a_least(memory: Memory) -> None:
    await memory.facts.write(WrittenFact("Dave owns a boat.", confidence=0.4))
    await memory.facts.write(WrittenFact("Ellen owns a boat.", confidence=0.9))
    asked = {"kinds": ("fact",), "days": 30.0}
    found = await memory.search_decayed(DecayRequest("Who owns a boat, Dave?", **asked))  # type: ignore[arg-type]
    assert [(hit.content, hit.signals["confidence"]) for hit in found.hits] == [
        ("Ellen owns a boat.", 0.9), ("Dave owns a boat.", 0.4),
    ]  # fmt: skip
    sure = await memory.search_decayed(DecayRequest("boat", least_confidence=0.4, **asked))  # type: ignore[arg-type]
    assert len(sure.hits) == 2
    sure = await memory.search_decayed(DecayRequest("boat", least_confidence=0.41, **asked))  # type: ignore[arg-type]
    assert [hit.content for hit in sure.hits] == ["Ellen owns a boat."]


@pytest.mark.ledger("M07")
async def test_scopes_filters_moments_and_the_future(memory: Memory, fish: None) -> None:
    later = NOW + timedelta(days=400)
    await memory.records.remember(Conversation("z", (Turn("Bob", "Walleye next year.", at=later),), started_at=later))
    thread = MemoryScope("thread", "t1")
    await memory.within(thread).records.remember(Conversation("t", (Turn("Bob", "A secret walleye."),)))

    async def texts(request: DecayRequest) -> set[str]:
        return {hit.content for hit in (await memory.search_decayed(request)).hits}

    walleye = DecayRequest("walleye", 200, 30)
    assert "A secret walleye." not in await texts(walleye)
    assert "A secret walleye." in await texts(DecayRequest("walleye", 200, 30, scopes=(thread,)))
    ahead = await memory.search_decayed(
        DecayRequest("walleye", 200, 30, filters=Filters(since=NOW + timedelta(days=1)))
    )
    assert all(hit.signals["decay"] == 1 for hit in ahead.hits)
    assert await texts(DecayRequest("walleye", filters=Filters(until=NOW - timedelta(days=1000)), kinds=("turn",))) == {
        SAME
    }
    assert await texts(DecayRequest("walleye", moment=Moment(known_at=NOW - timedelta(days=1)))) == set()


@pytest.mark.ledger("M07")
@pytest.mark.parametrize(
    "wrong",
    [
        {"days": 0.0},
        {"days": 1e-300},
        {"days": float("nan")},
        {"least_confidence": 1.1},
        {"limit": 0},
        {"limit": 201},
        {"query": " "},
    ],
)
async def test_wrong_requests(memory: Memory, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        await memory.search_decayed(DecayRequest(**{"query": "walleye", **wrong}))  # type: ignore[arg-type]


@pytest.mark.ledger("M07", "N32", "U05")
async def test_rest_shell_and_sql(engine: Engine, memory: Memory, user: User, fish: None, tmp_path: Path) -> None:
    transport = httpx.ASGITransport(new_door(engine=engine), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/search/decayed"
        asked = {"query": QUESTION, "limit": 2, "days": 30, "kinds": ["turn"]}
        given = (await door.post(path, json=asked)).json()
        assert [hit["content"] in NEAR for hit in given["hits"]] == [True, True]
        for wrong in ({"days": 0}, {"least_confidence": 2}, {"limit": 0}, {"widen": "always"}):
            assert (await door.post(path, json=asked | wrong)).status_code == 422
        missing = path.replace(str(user.user_id), "2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11")
        assert (await door.post(missing, json=asked)).status_code == 404
    shell = Shell(engine, tmp_path, user.handle)
    printed = await shell.answers("decayed", QUESTION, "--limit", "2", "--days", "30", "--kind", "turn")
    assert [hit["item_id"] for hit in printed["hits"]] == [hit["item_id"] for hit in given["hits"]]
    assert "× decay" in await shell.prints("decayed", QUESTION, "--least-confidence", "0.5")
    function = (
        "SELECT item_id FROM engine.search_decayed(%(user)s, NULL, '{}', 100, (SELECT embedding FROM {}.memory_items"
        " WHERE content = %(text)s LIMIT 1), engine.active_embeddings(), 30, 0, '{{turn}}', NULL, '{{}}', now(), NULL, NULL, NULL, 2) AS d"
    )
    schema = await engine.parts[Shells].schema_of(memory.principal, user.user_id)
    statement = function.replace("{}.", f'"{schema}".').replace("{{", "{").replace("}}", "}")
    parameters = {"user": user.user_id, "text": SAME}
    rows = await engine.postgres.fetch(memory.principal, statement, parameters, row=UUID)  # type: ignore[arg-type]
    assert len(rows) == 2

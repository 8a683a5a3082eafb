"""A model's verdicts on facts: used for the pairs that it was asked about; without a usable answer rules decide."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.domain.fact import FactFilter
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.facts.test_facts import say, stated
from tests.model_server import Asked, ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")
PIANO, GUITAR = "Dave practises the piano every day.", "Dave practises the guitar every day."


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


def told(verdict: Any) -> Any:
    """The same verdict about every entry."""

    def judged(asked: Asked) -> dict[str, Any]:
        entries = [line for line in asked.text.splitlines() if line.startswith("[")]
        return {"verdicts": [{"entry": number, "verdict": verdict} for number in range(len(entries))]}

    return judged


async def statuses(memory: Memory) -> list[tuple[str, str]]:
    return sorted((fact.text, fact.status) for fact in await memory.facts.list(FactFilter(status=None)))


@pytest.mark.ledger("A04")
@pytest.mark.parametrize(
    ("verdict", "first"), [("replaces", "superseded"), ("ends", "invalidated"), ("none", "live"), ("same", "live")]
)
async def test_what_the_model_says_of_two_facts_is_done(
    memory: Memory, server: ModelServer, verdict: str, first: str
) -> None:
    """Rules leave both; a "same" of statements that name other things is not believed."""
    server.judge = told(verdict)
    await say(memory, 0, PIANO)
    assert server.judgements == []
    await say(memory, 10, GUITAR)
    [asked] = server.judgements
    assert asked.text == f"[0] earlier (2024-05-08): {PIANO}\n    later (2024-05-18): {GUITAR}"
    if verdict == "same":
        assert await statuses(memory) == [(PIANO, "live")]
        [fact] = await memory.facts.list()
        assert fact.confirmations == 1
    else:
        assert await statuses(memory) == [(GUITAR, "live"), (PIANO, first)]


@pytest.mark.ledger("A04")
async def test_same_is_not_believed_where_values_differ(memory: Memory, server: ModelServer) -> None:
    server.judge = told("same")
    await say(memory, 0, "Dave ran 5 km in Rome.")
    await say(memory, 10, "Dave ran 7 km in Rome.")
    assert [status for _, status in await statuses(memory)] == ["live", "live"] and len(server.judgements) == 1


@pytest.mark.ledger("A04")
async def test_a_model_keeps_apart_what_rules_would_replace(memory: Memory, server: ModelServer) -> None:
    server.judge = told("none")
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    assert [status for _, status in await statuses(memory)] == ["live", "live"]


@pytest.mark.ledger("A04")
async def test_what_was_said_earlier_is_asked_about_in_its_order(memory: Memory, server: ModelServer) -> None:
    server.judge = told("replaces")
    await say(memory, 10, GUITAR)
    await say(memory, 0, PIANO)
    [asked] = server.judgements
    assert asked.text.startswith(f"[0] earlier (2024-05-08): {PIANO}")
    assert await statuses(memory) == [(GUITAR, "live"), (PIANO, "superseded")]


@pytest.mark.ledger("A04")
async def test_facts_of_one_batch_are_asked_about_together(memory: Memory, server: ModelServer) -> None:
    server.judge = told("replaces")
    await say(memory, 0, PIANO, GUITAR, "Ellen practises the piano every day.")
    [asked] = server.judgements
    assert asked.text.count("earlier") == 1, "Ellen is another one"
    assert (PIANO, "superseded") in await statuses(memory)


@pytest.mark.ledger("A04")
@pytest.mark.parametrize(
    "answer",
    [
        "I cannot say.",
        {"verdicts": None},
        {"verdicts": [{"entry": 7, "verdict": "ends"}, {"entry": "x"}, 3, {"entry": 0, "verdict": "delete"}]},
        {"verdicts": [{"entry": -1, "verdict": "ends"}]},
    ],
)
async def test_without_a_usable_answer_rules_decide(memory: Memory, server: ModelServer, answer: Any) -> None:
    server.judge = lambda _: answer
    await say(memory, 0, "Dave lives in Berlin.")
    report = await say(memory, 10, "Dave lives in Munich.")
    assert await statuses(memory) == [("Dave lives in Berlin.", "superseded"), ("Dave lives in Munich.", "live")]
    assert len(server.judgements) == 1 and report.extraction.failures == ()


@pytest.mark.ledger("A04")
async def test_the_same_text_and_other_matters_are_not_asked_about(memory: Memory, server: ModelServer) -> None:
    await say(memory, 0, PIANO)
    await say(memory, 10, PIANO)
    await say(memory, 20, "The lease of the workshop ends in June.", "Dave: 42.")
    assert server.judgements == []
    before = (await say(memory, 30, "Snow.")).extraction.calls
    assert (await say(memory, 40, GUITAR)).extraction.calls == before + 1 and len(server.judgements) == 1

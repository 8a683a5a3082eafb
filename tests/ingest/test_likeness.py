"""Content goes by meaning where no word of it stands at the node that it belongs to; nothing is embedded twice for that."""

from __future__ import annotations

from uuid import UUID

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import NewNode, User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.encoder import embedding

NODES = {
    "Fishing": "Trips to the lake with rod and reel, catching walleye from a boat.",
    "Health": "Visits to the doctor, blood pressure, medicine and the heart.",
    "Finances": "Money, taxes, the bank, loans and invoices of the firm.",
    "Cooking": "Recipes, meals, baking bread and dinner for guests.",
    "Travel": "Flights, hotels and journeys to foreign countries.",
}
CARDIOLOGY = (
    Turn("Bob", "The cardiologist listened to my chest and wrote a prescription."),
    Turn("Iris", "Did the physician say anything about your pulse?"),
    Turn("Bob", "Yes, the pills make me dizzy, so she wants to examine me again."),
)


@pytest.fixture
async def places(memory: Memory, user: User) -> dict[str, UUID]:
    return {
        name: (await memory.nodes.provision(NewNode(user.user_id, name, summary=summary))).node_id
        for name, summary in NODES.items()
    }


@pytest.mark.ledger("N14")
async def test_what_shares_no_word_with_its_node_finds_it(
    engine: Engine, memory: Memory, places: dict[str, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding(engine, monkeypatch) as calls:
        report = await memory.records.remember(Conversation("c", CARDIOLOGY))
    assert [record.node_id for record in report.records] == [places["Health"]]
    texts = [text for call in calls for text in call]
    assert len(texts) == len(set(texts)), "what was embedded to find its place is stored with that"
    assert sum(turn.text in texts for turn in CARDIOLOGY) == len(CARDIOLOGY)
    with embedding(engine, monkeypatch) as calls:
        await memory.records.remember(
            Conversation("d", (Turn("Bob", "The heart beats too fast, the cardiologist wrote."),))
        )
    assert [len(call) for call in calls] == [1], "what nodes are about is embedded once"
    line = (await memory.records.assignments())[-1]
    assert line.decided_by == "engine" and line.confidence < 1
    assert (line.reasons["rule"], line.reasons["words"]) == ("alike in meaning", {})


async def test_what_is_like_none_stays_at_the_root_and_limits_leave_meaning_out(
    memory: Memory, user: User, places: dict[str, UUID]
) -> None:
    hello = await memory.records.remember(
        Conversation("hello", (Turn("Bob", "Hello."), Turn("Iris", "Hi, how are you?")))
    )
    assert [record.node_id for record in hello.records] == [user.user_id]
    limited = memory.on_terms(Terms(limits=Limits(tokens=10**6)))
    report = await limited.records.remember(Conversation("c", CARDIOLOGY))
    assert [record.node_id for record in report.records] == [user.user_id] and report.left_out == ()


async def test_a_document_goes_by_meaning_as_a_whole(memory: Memory, places: dict[str, UUID]) -> None:
    text = "\n\n".join(
        f"# Day {n}\n\n" + "We flew to Lisbon and stayed abroad in a guest house by the sea. " * 12 for n in range(3)
    )
    report = await memory.records.remember_text("Note", text, privacy="private")
    assert [record.node_id for record in report.records] == [places["Travel"]]

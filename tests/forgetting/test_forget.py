"""A source that is forgotten: nothing of it is left in any store, what others say stays, and it is not stored again by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from engine.domain.fact import WrittenFact
from engine.domain.forgetting import ForgettingSubject
from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import NotFound, ReceiptChanged
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.forgetting.searched import found
from tests.forgetting.test_users import finished

AT = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.ledger("F13", "X07")
async def test_nothing_of_a_forgotten_conversation_is_left(engine: Engine, memory: Memory) -> None:
    tag = uuid4().hex[:8]
    sister, town, boat = (f"{word}{tag}" for word in ("Trundlewick", "Vexhollow", "Marmolite"))
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    told = (
        Turn("user", f"My sister {sister} lives in {town} since March.", AT),
        Turn("assistant", f"Noted: {sister} lives in {town}.", AT),
    )
    gone = await memory.records.remember(Conversation(f"{sister}-chat", told, sister), node_id=node.node_id)
    other = (Turn("user", f"My boat is called {boat}. It lies in {town}.", AT),)
    kept = await memory.records.remember(Conversation("boat-chat", other), node_id=node.node_id)
    ids = [str(one.record_id) for one in gone.records]
    assert {place.split()[0] for place in await found(engine, [sister, *ids])} == {"table", "graph", "object"}

    subject = ForgettingSubject("source", f"{sister}-chat")
    preview = await memory.forgettings.preview(subject)
    assert (preview.sources, preview.records) == (1, 1) and preview.items >= 2 and preview.files == 1
    one = await memory.forgettings.forget(subject, f"about {sister}")
    while one.state == "running":  # on a busy machine
        one = await memory.forgettings.forget(subject)
    assert one.state == "settling" and one.counts["postgres"]["memory_items"] >= 2
    answer = await memory.search(SearchRequest(f"Where does {sister} live?"))
    assert not [hit for hit in answer.hits if str(hit.record_id) in ids]

    done = await finished(engine, one)
    assert (done.state, done.subject) == ("done", "")
    assert await found(engine, [sister, *ids]) == set()
    receipt = await memory.forgettings.receipt(one.forgetting_id)
    check = await memory.forgettings.verify(receipt)
    assert check.found == () and check.ids >= 3 and check.words >= 2
    with pytest.raises(ReceiptChanged):
        await memory.forgettings.verify({**receipt, "receipt": {**receipt["receipt"], "number": 7}})
    answer = await memory.search(SearchRequest("What is the boat called?"))
    assert [hit.record_id for hit in answer.hits][:1] == [kept.records[0].record_id]
    assert [one.name for one in await memory.entities.list() if town.lower() in one.name.lower()]
    with pytest.raises(NotFound):
        await memory.forgettings.preview(subject)

    await memory.records.remember_text("Guests", f"{sister} came to dinner.")  # somebody says it again
    assert {trace.store for trace in (await memory.forgettings.verify(receipt)).found} >= {"tables"}


@pytest.mark.ledger("F13", "X07")
async def test_what_is_left_is_named_and_taken_up_again(engine: Engine, memory: Memory) -> None:
    """Something of it that a person put elsewhere, as a keeper does by hand."""
    boat = f"Marmolite{uuid4().hex[:8]}"
    stored = await memory.records.remember_text(boat, f"The {boat} lies in Galway.", source_id=boat)
    record, user = str(stored.records[0].record_id), memory.principal.user_id
    subject = ForgettingSubject("record", record)
    one = await memory.forgettings.forget(subject)
    await called(engine, user, f"Bob {record}")
    left = await finished(engine, one)
    receipt = await memory.forgettings.receipt(one.forgetting_id)
    assert (left.state, left.subject) == ("left", record)
    assert [trace["place"] for trace in receipt["receipt"]["found"]] == ["engine.users"]

    await called(engine, user, "Bob")
    assert (await memory.forgettings.preview(subject)).records == 0
    again = await memory.forgettings.forget(subject)
    assert again.forgetting_id == one.forgetting_id
    assert (await finished(engine, again)).state == "done"
    assert (await memory.forgettings.receipt(one.forgetting_id))["receipt"]["found"] == []


@pytest.mark.ledger("F13")
@pytest.mark.parametrize("kind", ["text", "fact", "file"])
async def test_the_withdrawal_of_what_is_forgotten_does_not_name_it(
    engine: Engine, memory: Memory, tmp_path: Path, kind: str
) -> None:
    """A source is named without its kind."""
    boat = f"Marmolite{uuid4().hex[:8]}"
    named = boat
    if kind == "text":
        await memory.records.remember_text("Lamp", "The lamp is blue.", source_id=boat)
    elif kind == "fact":
        await memory.once(boat).facts.write(WrittenFact("The lamp is blue."))
        named = f"key:{boat}"
    else:
        paper = tmp_path / "paper.md"
        paper.write_text("The lamp is blue.")
        await memory.ingests.history(History("h", "H", (), (HistoryFile(boat, paper, "text/markdown"),)))
    withdrawn = await memory.retractions.retract(RetractionSubject("source", named))
    await memory.retractions.undo(withdrawn.retraction_id)
    one = await memory.forgettings.forget(ForgettingSubject("source", named))
    assert (await finished(engine, one)).state == "done"
    assert len(kept := await memory.retractions.list()) == 2
    assert not [one.subject for one in kept if boat in one.subject]


async def called(engine: Engine, user: UUID, name: str) -> None:
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.users SET display_name = %s WHERE user_id = %s",  # type: ignore[arg-type]
            [name, user],  # type: ignore[arg-type]
        )

"""Sent again under the same id: what was withdrawn is stored anew; what was ended by hand, or is there in part, is told with the way
back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import Occasion
from engine.domain.report import STORED_ALREADY, IngestReport
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.memory import Memory

CHAT = Conversation("ferry", (Turn("Bob", "The ferry to Askøy leaves at nine."), Turn("Ann", "From which quay?")))


async def text(memory: Memory, words: str = "The vault opens with the old key.") -> IngestReport:
    return await memory.records.remember_text("Vault", words, source_id="vault")


async def chat(memory: Memory) -> IngestReport:
    return await memory.records.remember(CHAT)


async def occasion(memory: Memory) -> IngestReport:
    return await memory.records.remember_occasion(
        Occasion("call", "Plumber", "He comes on Friday.", source_id="call-1")
    )


async def hits(memory: Memory, words: str) -> set[str]:
    return {hit.content for hit in (await memory.search(SearchRequest(words))).hits}


@pytest.mark.ledger("X06")
@pytest.mark.parametrize("store", [text, chat, occasion])
async def test_what_was_withdrawn_is_stored_anew_each_time(memory: Memory, store) -> None:
    seen, undo = set(), []
    for _ in range(3):
        report = await store(memory)
        assert report.skipped == ()
        (record,) = report.records
        assert (again := await store(memory)).records == () and again.skipped[0].reason == STORED_ALREADY
        assert await hits(memory, "ferry vault plumber") != set()
        done = await memory.retractions.retract(RetractionSubject("record", str(record.record_id)))
        assert await hits(memory, "ferry vault plumber") == set()
        seen.add(record.record_id)
        undo.append(done.retraction_id)
    assert len(seen) == 3
    await memory.retractions.undo(undo[0])
    assert (await store(memory)).skipped[0].reason.startswith(STORED_ALREADY)


@pytest.mark.ledger("X06")
async def test_a_withdrawn_conversation_that_grew_is_stored_whole(memory: Memory) -> None:
    await chat(memory)
    await memory.retractions.retract(RetractionSubject("source", CHAT.source_id))
    grown = replace(CHAT, turns=(*CHAT.turns, Turn("Bob", "From the north quay.")))
    assert (await memory.records.remember(grown)).turns == 3
    longer = replace(grown, turns=(*grown.turns, Turn("Ann", "Good.")))
    assert (await memory.records.remember(longer)).turns == 1, "it goes on where it was stored last"


@pytest.mark.ledger("X06")
async def test_a_document_stored_again_has_versions_of_its_own(memory: Memory) -> None:
    await text(memory)
    await memory.retractions.retract(RetractionSubject("source", "text:vault"))
    await text(memory)
    second = await text(memory, "The vault opens with the new key.")
    assert [one.version for one in second.documents] == [2]
    (document,) = await memory.documents.list()
    assert (document.source_id, document.version) == ("text:vault", 2)
    assert await hits(memory, "vault key") == {"The vault opens with the new key."}


@pytest.mark.ledger("X06")
async def test_what_was_ended_by_hand_says_how_it_comes_back(memory: Memory, user: User) -> None:
    for store in (text, chat):
        (record,) = (await store(memory)).records
        await memory.history.change(Change("record", record.record_id, {"ended": True}, record.node_id))
        (skipped,) = (await store(memory)).skipped
        back = f"neurigraph change record {record.record_id} ended=false --node {record.node_id}"
        assert skipped.reason == f"It was ended by hand; `{back}` brings it back."
        await memory.history.change(Change("record", record.record_id, {"ended": False}, record.node_id))
        assert (await store(memory)).skipped[0].reason == STORED_ALREADY


@pytest.mark.ledger("X06")
async def test_what_was_withdrawn_in_part_says_so(memory: Memory, user: User) -> None:
    node = (await memory.nodes.provision(NewNode(user.user_id, "Boats"))).node_id
    (first,) = (await memory.records.remember(CHAT, node_id=node)).records
    grown = replace(CHAT, turns=(*CHAT.turns, Turn("Bob", "From the north quay.")))
    await memory.records.remember(grown, node_id=node)
    done = await memory.retractions.retract(RetractionSubject("record", str(first.record_id)))
    (skipped,) = (await memory.records.remember(grown)).skipped
    back = f"`neurigraph retractions undo {done.retraction_id}` brings it back."
    assert skipped.reason == f"{STORED_ALREADY} Part of it was withdrawn; {back}"


@pytest.mark.ledger("X06")
async def test_a_memory_emptied_passage_by_passage_is_stored_anew(memory: Memory) -> None:
    await chat(memory)
    for hit in (await memory.search(SearchRequest("ferry quay"))).hits:
        await memory.history.change(Change("item", hit.item_id, {"ended": True}, hit.node_id))
    assert await hits(memory, "ferry quay") == set()
    assert (await chat(memory)).turns == 2
    assert await hits(memory, "ferry quay") == {turn.text for turn in CHAT.turns}

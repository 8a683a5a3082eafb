"""Live writes without a time were said when they arrived; imported history without dates stays undated, and is told apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.clock import Moment
from engine.domain.history import Conversation, History, Turn
from engine.domain.node import User
from engine.domain.occasion import Occasion
from engine.domain.search import Hit, SearchAnswer, SearchRequest
from engine.domain.stream import StreamedTurn
from engine.memory import Memory
from engine.neurigraph import Engine

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
SAID = "The walleye weighed eleven pounds."


async def asked(memory: Memory, as_of: datetime | None = None) -> SearchAnswer:
    return await memory.search(SearchRequest("How heavy was the walleye?", moment=Moment(as_of=as_of), widen="always"))


async def found(memory: Memory, as_of: datetime | None = None) -> list[Hit]:
    return [hit for hit in (await asked(memory, as_of)).hits if SAID in hit.content]


async def streamed(memory: Memory) -> None:
    await memory.conversations.append("c1", StreamedTurn("Bob", SAID))
    await memory.conversations.append("c1", StreamedTurn("Assistant", "A fine fish."))
    await memory.conversations.end("c1")


async def conversed(memory: Memory) -> None:
    await memory.records.remember(Conversation("c1", (Turn("Bob", SAID),)))


async def noted(memory: Memory) -> None:
    await memory.records.remember_text("Catch", SAID)


async def occasion(memory: Memory) -> None:
    await memory.records.remember_occasion(Occasion("meeting", "Catch", SAID))


@pytest.mark.ledger("X03")
@pytest.mark.parametrize("write", [streamed, conversed, noted, occasion])
async def test_what_is_written_live_is_true_from_its_arrival_on(memory: Memory, write) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    await write(memory)
    hits = await found(memory)
    assert hits and all(before <= (hit.occurred_at or LONG_AGO) <= datetime.now(UTC) for hit in hits)
    assert await found(memory, LONG_AGO) == [] == await found(memory, before)


@pytest.mark.ledger("X03")
async def test_times_of_the_source_count_before_the_arrival(memory: Memory) -> None:
    said = datetime(2020, 5, 1, tzinfo=UTC)
    await memory.records.remember(Conversation("c1", (Turn("Ann", "Hello.", said), Turn("Bob", SAID))))
    assert [hit.occurred_at for hit in await found(memory)] == [said]
    await memory.conversations.append("c2", StreamedTurn("Bob", f"{SAID} Again."), started_at=said)
    await memory.conversations.end("c2")
    assert {hit.occurred_at for hit in await found(memory)} == {said}


@pytest.mark.ledger("X03")
async def test_imported_history_without_dates_stays_undated_and_is_told_apart(engine: Engine, user: User) -> None:
    history = History(user.handle, "Bob", (Conversation("c1", (Turn("Bob", SAID),)),))
    await engine.ingest(history)
    answer = await asked(engine.memory(user.user_id), LONG_AGO)
    assert [hit.occurred_at for hit in answer.hits if SAID in hit.content] == [None]
    assert any("no date" in note for note in answer.notes)


async def test_a_conversation_that_is_sent_again_is_still_recognised(memory: Memory) -> None:
    await conversed(memory)
    again = await memory.records.remember(Conversation("c1", (Turn("Bob", SAID), Turn("Ann", "Indeed."))))
    assert (again.turns, again.skipped) == (1, ())

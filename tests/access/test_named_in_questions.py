"""What a question of somebody else's names: by names that readable records use, as those the user has not merged."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.access.test_entities_of_others import called, reader_of, shared_and_hidden


async def write(memory: Memory, node: UUID, text: str) -> UUID:
    return (await memory.records.remember_text("Note", text, node_id=node)).records[0].record_id


async def reached(memory: Memory, query: str, record: UUID, moment: Moment = NOW) -> str | None:
    """The name of the question over which a record's passage was reached."""
    hits = (await memory.search(SearchRequest(query, widen="always", moment=moment))).hits
    [hit] = [one for one in hits if one.record_id == record]
    return hit.reached.entity if hit.reached and hit.reached.from_record is None else None


async def a_name_that_came_with_a_moved_record(engine: Engine, memory: Memory) -> None:
    here, hidden = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    full = await write(memory, here.node_id, "Ellen Harlan painted the pier.")
    short = await write(memory, hidden.node_id, "Then Ellen slept.")
    before = Moment(known_at=datetime.now(UTC))
    assert await reached(reader, "What of Ellen?", full) is None
    await memory.records.move(short, hidden.node_id, here.node_id)
    assert (
        await reached(reader, "What of Ellen?", full)
        == await reached(memory, "What of Ellen?", full, before)
        == "Ellen"
    )
    assert await reached(reader, "What of Ellen?", full, before) is None


async def another_entity_that_the_user_merged(engine: Engine, memory: Memory) -> None:
    here, _ = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    first = await write(memory, here.node_id, "Elli Lund painted the pier.")
    second = await write(memory, here.node_id, "Margaret Osei mended the sail.")
    await memory.entities.merge(
        (await called(memory, "Elli Lund")).entity_id, (await called(memory, "Margaret Osei")).entity_id
    )
    assert (
        await reached(reader, "What of Elli Lund?", first)
        == await reached(memory, "What of Elli Lund?", second)
        == "Elli Lund"
    )
    assert await reached(reader, "What of Elli Lund?", second) is None


@pytest.mark.ledger("X01")
async def test_a_name_that_came_with_a_moved_record_is_none_before_the_move(engine: Engine, memory: Memory) -> None:
    await a_name_that_came_with_a_moved_record(engine, memory)


@pytest.mark.ledger("X01", "X05")
async def test_what_the_user_merged_is_not_one_for_others(engine: Engine, memory: Memory) -> None:
    await another_entity_that_the_user_merged(engine, memory)

"""The kind of an entity, as those records tell it that a reader may read."""

from __future__ import annotations

import pytest

from engine.domain.entity import EntitySummary
from engine.domain.history import Conversation, Turn
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.access.test_entities_of_others import called, reader_of, say, shared_and_hidden


async def saved(memory: Memory, text: str, node_id: object) -> None:
    await memory.records.remember(Conversation(text, (Turn("Bob", text),)), node_id=node_id, privacy="private")


async def mercury(memory: Memory) -> list[EntitySummary]:
    return [one for one in await memory.entities.list(limit=500, everything=True) if "Mercury" in one.names]


@pytest.mark.ledger("X01")
async def test_a_kind_that_only_private_records_tell_is_the_users_alone(engine: Engine, memory: Memory) -> None:
    here, _ = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    await say(memory, here, "Elli Lund owns Mercury. In the boat we saw Mercury.")
    await saved(memory, "My cat Mercury was ill.", here.node_id)
    [mine] = await mercury(memory)
    assert mine.kind == "animal"
    [seen] = await mercury(reader)
    shown = await reader.entities.get(seen.entity_id)
    assert (seen.entity_id, seen.kind, shown.kind) == (mine.entity_id, "thing", "thing")
    assert await reader.entities.list(everything=True, kinds=("animal",)) == ()
    assert [one.entity_id for one in await memory.entities.list(everything=True, kinds=("animal",))] == [mine.entity_id]
    assert "Mercury" in {one.name for one in await reader.entities.list(everything=True, kinds=("thing",))}
    elli = await called(memory, "Elli Lund")
    assert [one.other_kind for one in await memory.entities.relations(elli.entity_id)] == ["animal"]
    assert [one.other_kind for one in await reader.entities.relations(elli.entity_id)] == ["thing"]


@pytest.mark.ledger("X01")
async def test_a_kind_is_the_one_that_most_readable_records_tell(engine: Engine, memory: Memory) -> None:
    here, _ = await shared_and_hidden(memory)
    reader = await reader_of(engine, memory, here.node_id)
    await say(memory, here, "In the boat we saw Mercury.")
    await say(memory, here, "My cat Mercury was ill.")
    [seen] = await mercury(reader)
    assert (seen.kind, (await reader.entities.get(seen.entity_id)).kind) == ("animal", "animal")

"""What an entity is called follows from the records that hold, and from what the user decided: a name that only a withdrawn
text used leads to nothing and is shown nowhere, until a record uses it again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.entity import Entity
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.retraction import Retraction, RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.communities.test_communities import build

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("X06")]
LONG, SHORT = "Teresa Vang sold her boat.", "Teresa came by with a cake."


async def say(memory: Memory, *texts: str) -> Any:
    turns = tuple(Turn("Bob", text, datetime(2025, 5, 1, tzinfo=UTC)) for text in texts)
    report = await memory.records.remember(Conversation(uuid4().hex, turns))
    return report.records[0]


async def withdraw(memory: Memory, record: Any) -> Retraction:
    return await memory.retractions.retract(RetractionSubject("record", str(record.record_id)), "wrong")


async def ended(memory: Memory, record: Any, *, holds: bool = False) -> None:
    await memory.history.change(Change("record", record.record_id, {"ended": not holds}, record.node_id))


async def called(memory: Memory, name: str) -> Entity:
    [found] = await memory.entities.list(name=name, everything=True)
    return await memory.entities.get(found.entity_id)


async def names_of(memory: Memory, entity_id: UUID) -> tuple[str, tuple[str, ...], set[str]]:
    """The display name, all names, the aliases."""
    one = await memory.entities.get(entity_id)
    return one.name, one.names, {alias.value for alias in await memory.entities.aliases(entity_id)}


async def named(memory: Memory) -> set[str]:
    """The display names of all but the user."""
    return {one.name for one in await memory.entities.list(everything=True)} - {"Bob Harlan"}


async def clean(engine: Engine, user: User) -> None:
    assert [one for one in await engine.doctor.examine() if str(user.user_id) in one.subject] == []


@pytest.mark.parametrize("order", [(LONG, SHORT), (SHORT, LONG)], ids=["long name first", "short name first"])
async def test_a_name_that_only_a_withdrawn_record_used_is_gone_until_that_is_undone(
    engine: Engine, user: User, memory: Memory, order: tuple[str, str]
) -> None:
    records = {text: await say(memory, text) for text in order}
    teresa = (await called(memory, "Teresa")).entity_id
    whole = ("Teresa Vang", ("Teresa Vang", "Teresa"), {"Teresa Vang", "Teresa"})
    assert await names_of(memory, teresa) == whole
    key, before = (await memory.entities.get(teresa)).key, engine.parts.clock.now()
    gone = await withdraw(memory, records[LONG])
    assert await names_of(memory, teresa) == ("Teresa", ("Teresa",), {"Teresa"})
    assert (await memory.entities.get(teresa)).key in (None, "person:teresa")
    assert await memory.entities.list(name="Vang", everything=True) == ()
    assert (await memory.entities.get(teresa, Moment(known_at=before))).name == "Teresa Vang", "it was known then"
    await clean(engine, user)
    await memory.retractions.undo(gone.retraction_id)
    assert await names_of(memory, teresa) == whole and (await memory.entities.get(teresa)).key == key
    await withdraw(memory, records[LONG])
    await say(memory, LONG)
    assert (await called(memory, "Vang")).entity_id == teresa
    assert await names_of(memory, teresa) == whole, "it was said again"
    await clean(engine, user)


async def test_a_record_that_was_ended_or_changed_names_nobody(engine: Engine, user: User, memory: Memory) -> None:
    long, _ = await say(memory, LONG), await say(memory, SHORT)
    teresa = (await called(memory, "Teresa")).entity_id
    await ended(memory, long)
    assert await names_of(memory, teresa) == ("Teresa", ("Teresa",), {"Teresa"})
    await clean(engine, user)
    await ended(memory, long, holds=True)
    assert (await names_of(memory, teresa))[0] == "Teresa Vang"
    [item] = [one for one in (await memory.entities.get(teresa)).latest if "teresa vang" in one.names]
    item_id = UUID(item.spans[0].partition(":")[0])
    await memory.history.change(Change("item", item_id, {"content": "Teresa sold her boat."}, long.node_id))
    await engine.derivations.run("entities")
    assert await names_of(memory, teresa) == ("Teresa", ("Teresa",), {"Teresa"})
    await clean(engine, user)


async def test_of_a_merged_entity_the_names_that_are_left_count(engine: Engine, user: User, memory: Memory) -> None:
    """A whole that no record names is called as what it took in, and after the merge is undone as what it is."""
    iris, marianne = await say(memory, "Iris Whitcomb wrote a play."), await say(memory, "Marianne Kuhn wrote a play.")
    whole = (await called(memory, "Iris")).entity_id
    merge = await memory.entities.merge(whole, (await called(memory, "Marianne")).entity_id, "a pen name")
    gone = await withdraw(memory, iris)
    assert await names_of(memory, whole) == ("Marianne Kuhn", ("Marianne Kuhn",), {"Marianne Kuhn"})
    assert {one.entity_name for one in await memory.entities.merges()} == {"Marianne Kuhn"}
    assert await named(memory) == {"Marianne Kuhn"}
    await clean(engine, user)
    await memory.retractions.undo(gone.retraction_id)
    assert (await names_of(memory, whole))[0] == "Iris Whitcomb"
    other = await withdraw(memory, marianne)
    assert await names_of(memory, whole) == ("Iris Whitcomb", ("Iris Whitcomb",), {"Iris Whitcomb"})
    await withdraw(memory, iris)
    await memory.retractions.undo(other.retraction_id)
    assert (await names_of(memory, whole))[0] == "Marianne Kuhn"
    await memory.entities.undo_merge(merge.merge_id)
    assert await named(memory) == {"Marianne Kuhn"}
    await clean(engine, user)


async def test_what_the_user_decided_stays(engine: Engine, user: User, memory: Memory) -> None:
    long, _ = await say(memory, LONG), await say(memory, SHORT)
    teresa = (await called(memory, "Teresa")).entity_id
    await memory.entities.add_alias(teresa, "name", "Tess Vang-Moreira")
    await memory.entities.verify_alias(teresa, "name", "Teresa Vang")
    await withdraw(memory, long)
    assert {one.value for one in await memory.entities.aliases(teresa)} == {
        "Teresa",
        "Teresa Vang",
        "Tess Vang-Moreira",
    }
    await memory.entities.correct(teresa, name="Tess")
    again = await say(memory, "Teresa Vang-Alder called.")
    await withdraw(memory, again)
    assert (await names_of(memory, teresa))[0] == "Tess"
    await clean(engine, user)


async def test_a_name_that_two_have_is_left_to_the_other(engine: Engine, user: User, memory: Memory) -> None:
    first = await say(memory, "My brother Tom is a baker.")
    await say(memory, "My boss Tom flew to Oslo.")
    toms = {one.entity_id for one in await memory.entities.list(name="Tom", everything=True)}
    assert len(toms) == 2
    gone = await withdraw(memory, first)
    [boss] = await memory.entities.list(name="Tom", everything=True)
    assert {one.value for one in await memory.entities.aliases(boss.entity_id)} == {"Tom"}
    await clean(engine, user)
    await memory.retractions.undo(gone.retraction_id)
    assert {one.entity_id for one in await memory.entities.list(name="Tom", everything=True)} == toms
    await clean(engine, user)


async def test_what_a_build_wrote_of_a_name_is_not_read_after_it(engine: Engine, user: User, memory: Memory) -> None:
    """Summaries and insights have names in their text: also those of others that it is related to, and those that are over."""
    await say(memory, "Teresa is married to Viktor Sandoval.", "Viktor Sandoval works at Harlan Joinery.")
    await say(memory, "Teresa works at Harlan Joinery.")
    long = await say(memory, "Teresa Vang works at Harlan Joinery.")
    teresa = (await called(memory, "Teresa")).entity_id

    async def texts() -> str:
        entities = await memory.entities.list(everything=True)
        insights = [one.text for one in await memory.insights.list(ended=True)]
        return " ".join(
            [*insights, *(one.summary or "" for one in entities), (await memory.profiles.entity(teresa)).text]
        )

    await build(engine)
    assert "Teresa Vang" in await texts()
    await withdraw(memory, long)
    assert "Vang" not in await texts()
    await build(engine)
    assert "Vang" not in await texts() and "Teresa" in await texts()

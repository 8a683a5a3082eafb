"""Merged entities are one: of relations of which the whole can have one at a time the newest holds, until the merge is undone."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.history import Conversation, Turn
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations, statements
from engine.stores.statements import cypher
from tests.analysis.test_analysis import rows

Homes = dict[str, str | None]


async def say(memory: Memory, text: str, year: int) -> RetractionSubject:
    turn = Turn("Bob", text, datetime(year, 5, 1, tzinfo=UTC))
    report = await memory.records.remember(Conversation(str(uuid4()), (turn,)), node_id=memory.principal.user_id)
    return RetractionSubject("record", str(report.records[0].record_id))


async def named(memory: Memory, name: str) -> UUID:
    return (await memory.entities.list(name=name, everything=True))[0].entity_id


async def ends(memory: Memory, entity: UUID, moment: Moment = NOW) -> Homes:
    """Until when each relation of an entity holds, by the other end."""
    found = await memory.entities.relations(entity, moment, ended=True)
    return {one.other_name: one.until for one in found}


async def both_clocks(engine: Engine, memory: Memory, entity: UUID) -> Homes:
    """What is kept of now, which is what a read of this moment finds."""
    now = await ends(memory, entity)
    assert await ends(memory, entity, Moment(known_at=engine.parts.clock.now())) == now
    return now


@pytest.mark.ledger("A09", "A13", "X03", "X05")
@pytest.mark.parametrize("first", ["merge", "say", "say late"])
async def test_the_newer_home_of_one_ends_the_older_home_of_the_other(
    engine: Engine, memory: Memory, first: str
) -> None:
    """Whatever comes first, and until the merge is undone; reads of the past show what they showed then."""
    await say(memory, "Dave Kowalski lives in Oslo.", 2020)
    await say(memory, "Mick Tolan lives in Bergen.", 2022)
    dave, mick = await named(memory, "dave"), await named(memory, "mick")
    apart, began = await both_clocks(engine, memory, dave), engine.parts.clock.now()
    assert apart == {"Oslo": None}
    if first == "say":
        await say(memory, "Mick Tolan lives in Narvik.", 2023)
    merge = await memory.entities.merge(dave, mick, "one man")
    if first != "say":
        assert await both_clocks(engine, memory, dave) == {"Oslo": "2022-05-01", "Bergen": None}
        await say(memory, "Mick Tolan lives in Narvik.", 2023 if first == "merge" else 2021)
    narvik = 2021 if first == "say late" else 2023
    together = (
        {"Oslo": "2022-05-01", "Bergen": "2023-05-01", "Narvik": None}
        if narvik == 2023
        else {"Oslo": "2021-05-01", "Narvik": "2022-05-01", "Bergen": None}
    )
    assert await both_clocks(engine, memory, dave) == together
    assert await rows(engine, memory, "contradictions") == []
    merged = engine.parts.clock.now()
    await memory.entities.undo_merge(merge.merge_id)
    assert await both_clocks(engine, memory, dave) == {"Oslo": None}
    assert await both_clocks(engine, memory, mick) == {place: together[place] for place in ("Bergen", "Narvik")}
    assert await ends(memory, dave, Moment(known_at=merged)) == together
    assert await ends(memory, dave, Moment(known_at=began)) == apart


@pytest.mark.ledger("A09", "X06")
async def test_when_the_home_of_one_is_withdrawn_that_of_the_other_holds_again(engine: Engine, memory: Memory) -> None:
    await say(memory, "Dave Kowalski lives in Oslo.", 2020)
    bergen = await say(memory, "Mick Tolan lives in Bergen.", 2022)
    dave = await named(memory, "dave")
    await memory.entities.merge(dave, await named(memory, "mick"), "one man")
    withdrawn = await memory.retractions.retract(bergen)
    assert await both_clocks(engine, memory, dave) == {"Oslo": None}
    await memory.retractions.undo(withdrawn.retraction_id)
    assert await both_clocks(engine, memory, dave) == {"Oslo": "2022-05-01", "Bergen": None}


@pytest.mark.ledger("A09", "X05")
async def test_what_both_say_alike_ends_nothing_and_places_that_are_one_neither(engine: Engine, memory: Memory) -> None:
    await say(memory, "Dave Kowalski lives in Oslo.", 2020)
    await say(memory, "Mick Tolan lives in Oslo.", 2021)
    await say(memory, "Mick Tolan lives in Galway.", 2022)
    dave, mick = await named(memory, "dave"), await named(memory, "mick")
    oslo, galway = await named(memory, "oslo"), await named(memory, "galway")
    merge = await memory.entities.merge(oslo, galway, "one town")
    assert await both_clocks(engine, memory, mick) == {"Oslo": None, "Galway": None}
    await memory.entities.merge(dave, mick, "one man")
    assert set((await both_clocks(engine, memory, dave)).values()) == {None}
    await memory.entities.undo_merge(merge.merge_id)
    homes = await memory.entities.relations(dave, ended=True)
    assert {(one.other_name, one.until) for one in homes} == {("Oslo", "2022-05-01"), ("Galway", None)}


@pytest.mark.ledger("A09", "X05")
async def test_a_marriage_of_one_ends_that_of_the_other_from_both_sides(engine: Engine, memory: Memory) -> None:
    for year, text in ((2020, "Anna Berg is married to Ben Falk."), (2022, "Zoe Quist is married to Dora Nilsson.")):
        await say(memory, text, year)
    anna = await named(memory, "anna")
    merge = await memory.entities.merge(anna, await named(memory, "zoe"), "one woman")
    assert await both_clocks(engine, memory, anna) == {"Ben Falk": "2022-05-01", "Dora Nilsson": None}
    await say(memory, "Carl Moss is married to Zoe Quist.", 2024)
    assert await both_clocks(engine, memory, anna) == {
        "Ben Falk": "2022-05-01",
        "Dora Nilsson": "2024-05-01",
        "Carl Moss": None,
    }
    await memory.entities.undo_merge(merge.merge_id)
    assert await both_clocks(engine, memory, anna) == {"Ben Falk": None}


@pytest.mark.ledger("A09", "X06")
async def test_a_marriage_of_two_who_are_one_ends_nothing_and_nothing_ends_it(engine: Engine, memory: Memory) -> None:
    await say(memory, "Zoe Quist is married to Ben Falk.", 2021)
    later = await say(memory, "Zoe Quist is married to Dora Nilsson.", 2022)
    zoe, ben = await named(memory, "zoe"), await named(memory, "ben")
    merge = await memory.entities.merge(zoe, ben, "one woman")
    assert set((await both_clocks(engine, memory, zoe)).values()) == {None}
    withdrawn = await memory.retractions.retract(later)
    assert set((await both_clocks(engine, memory, zoe)).values()) == {None}
    await memory.retractions.undo(withdrawn.retraction_id)
    await memory.entities.undo_merge(merge.merge_id)
    assert await both_clocks(engine, memory, zoe) == {"Ben Falk": "2022-05-01", "Dora Nilsson": None}


@pytest.mark.ledger("A09", "X03")
async def test_a_merge_waits_for_what_is_being_said_of_a_part(engine: Engine, memory: Memory) -> None:
    """Else neither would find the other's home, and both would hold."""
    visit = await say(memory, "Mick Tolan came by with Dave Kowalski.", 2022)
    for text in ("Rob Malin lives in Oslo.", "Ellen Stone lives in Bergen."):
        await say(memory, text, 2020)
    dave, mick, rob = [await named(memory, name) for name in ("dave", "mick", "rob")]
    await memory.entities.merge(dave, mick, "one man")
    keys = (
        "MATCH (e:Entity {user_id: $user}) WHERE e.name IN ['Mick Tolan', 'Bergen'] RETURN e.name AS name, e.key AS key"
    )
    found = {row["name"]: row["key"] for row in await engine.neo4j.read(keys, user=str(memory.principal.user_id))}  # type: ignore[index]
    home = {
        "relation_id": str(uuid4()),
        "type": "LIVES_IN",
        "name": "LIVES_IN",
        "functional": True,
        "weight": 0.9,
        "ended": False,
    }
    ways = {"source": found["Mick Tolan"], "target": found["Bergen"]}
    times = {"known_from": engine.parts.clock.now().isoformat(), "at": "2022-05-01T00:00:00Z"}
    row = {
        "record_id": visit.id,
        "user_id": str(memory.principal.user_id),
        "commit_id": str(uuid4()),
        "stated": [home | ways],
    }
    async with engine.neo4j.driver.session() as session:
        said = await session.begin_transaction()
        await (await said.run(cypher("entity/related"), relations=[row | times])).consume()
        merging = asyncio.create_task(memory.entities.merge(dave, rob, "one man"))
        await asyncio.wait([merging], timeout=1)
        await said.commit()
    await merging
    assert await ends(memory, dave) == {"Oslo": "2022-05-01", "Bergen": None}


@pytest.mark.ledger("A09")
async def test_of_entities_that_an_older_release_merged_one_home_holds_after_the_migration(
    engine: Engine, memory: Memory
) -> None:
    for year, text in (
        (2020, "Dave Kowalski lives in Oslo."),
        (2022, "Mick Tolan lives in Bergen."),
        (2020, "Anna Berg is married to Ben Falk."),
        (2022, "Zoe Quist is married to Dora Nilsson."),
        (2020, "Carl Moss lives in Lyon."),
        (2022, "Carl Moss lives in Galway."),
    ):
        await say(memory, text, year)
    dave, anna, carl = [await named(memory, name) for name in ("dave", "anna", "carl")]
    apart = await ends(memory, carl)
    await memory.entities.merge(await named(memory, "lyon"), await named(memory, "galway"), "one town")
    await memory.entities.merge(dave, await named(memory, "mick"), "one man")
    await memory.entities.merge(anna, await named(memory, "zoe"), "one woman")
    expected = [await ends(memory, one) for one in (dave, anna, carl)]
    user = str(memory.principal.user_id)
    await engine.neo4j.write(
        "MATCH (:Entity {user_id: $user})-[r]->(:Entity) WHERE r.ended_by IS NOT NULL REMOVE r.ended_by, r.until, r.functional",
        user=user,
    )
    await engine.neo4j.write(
        """
        MATCH (:Entity {user_id: $user, name: 'Carl Moss'})-[old]->(:Entity {name: 'Lyon'}), (:Entity)-[new]->(:Entity {user_id: $user, name: 'Galway'})
        SET old.until = '2022-05-01', old.ended_by = new.relation_id
        """,
        user=user,
    )
    assert await ends(memory, carl) == apart
    assert set((await ends(memory, dave)).values()) == {None}
    [mending] = [one for one in migrations("neo4j") if one.version == 19]
    for _ in range(2):
        for statement in statements(mending.script):
            await engine.neo4j.write(statement)
        assert [await both_clocks(engine, memory, one) for one in (dave, anna, carl)] == expected

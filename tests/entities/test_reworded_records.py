"""A text that was changed by hand is read for names again: what it no longer says is over, what it says now is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.entity import Entity
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import NotFound
from engine.ingest.pipeline import Ingest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.wiring.job_catalogue import CATALOGUE
from tests.entities.test_item_entities import named as rows_of
from tests.entities.test_model_entities import READ
from tests.model_server import ModelServer
from tests.reader import WHEN, untroubled

pytestmark = pytest.mark.usefixtures("few_nodes")
DAVE, INES = "I met Dave Kowalski in Porto.", "I met Ines Moreira in Porto."


async def say(memory: Memory, node_id: UUID, *texts: str, year: int = 2024) -> UUID:
    turns = tuple(Turn("Bob", text, datetime(year, 5, 1, tzinfo=UTC)) for text in texts)
    report = await memory.records.remember(Conversation(str(uuid4()), turns), node_id=node_id)
    return report.records[0].record_id


async def job(engine: Engine) -> None:
    """As the schedule, or `neurigraph job run entities`, runs it."""
    [entities] = [one for one in CATALOGUE if one.name == "entities"]
    await entities.work(engine)


async def entity(memory: Memory, name: str, moment: Moment = NOW) -> Entity:
    [found] = [one for one in await memory.entities.list(moment, limit=500) if name in one.names]
    return await memory.entities.get(found.entity_id, moment)


async def names(memory: Memory, moment: Moment = NOW) -> set[str]:
    return {one.name for one in await memory.entities.list(moment, limit=500)}


async def item_of(memory: Memory, name: str) -> UUID:
    """The first item that names somebody."""
    return UUID((await entity(memory, name)).latest[0].spans[0].partition(":")[0])


async def reword(memory: Memory, node_id: UUID, item: UUID, text: str, **when: Any) -> None:
    await memory.history.change(Change("item", item, {"content": text}, node_id, **when))


async def related(memory: Memory, name: str, moment: Moment = NOW, *, ended: bool = False) -> set[tuple[str, str]]:
    found = await memory.entities.relations((await entity(memory, name, moment)).entity_id, moment, ended=ended)
    return {(one.relation_type, one.other_name) for one in found}


@pytest.mark.ledger("N23", "F07", "M04", "X03")
@pytest.mark.parametrize("correction", [True, False])
async def test_a_text_that_was_changed_mentions_what_it_says_now(
    engine: Engine, memory: Memory, user: User, correction: bool
) -> None:
    await say(memory, user.user_id, DAVE, "He wore a hat.")
    dave, before = await entity(memory, "Dave Kowalski"), engine.parts.clock.now()
    await reword(memory, user.user_id, await item_of(memory, "Dave Kowalski"), INES, correction=correction)
    await job(engine)
    assert {"Ines Moreira", "Porto"} <= await names(memory) and "Dave Kowalski" not in await names(memory)
    with pytest.raises(NotFound):
        await memory.entities.get(dave.entity_id)
    then = Moment(known_at=before)
    assert "Ines Moreira" not in await names(memory, then)
    assert (await memory.entities.get(dave.entity_id, then)).latest == dave.latest
    porto = await entity(memory, "Porto")
    assert porto.mentions == 1 and porto.mentioned is not None
    assert (porto.mentioned.context, porto.mentioned.times) == (INES, 1)
    rows = {text: keys for text, keys, _ in await rows_of(engine, memory, user.user_id)}
    assert "person:ines-moreira" in rows[INES] and (correction or "person:dave-kowalski" in rows[DAVE])
    # and back
    await reword(memory, user.user_id, await item_of(memory, "Porto"), DAVE, correction=correction)
    await job(engine)
    assert (await entity(memory, "Dave Kowalski")).entity_id == dave.entity_id
    assert "Ines Moreira" not in await names(memory)
    rows = {text: keys for text, keys, _ in await rows_of(engine, memory, user.user_id)}
    assert "person:dave-kowalski" in rows[DAVE]
    await untroubled(engine, user)


@asynccontextmanager
async def all_held(engine: Engine, memory: Memory) -> AsyncIterator[None]:
    """While this lasts, no writer may change an entity or a relation of the user: each has read what it needs, and waits."""
    async with engine.neo4j.driver.session() as session, await session.begin_transaction() as held:
        me = str(memory.principal.user_id)
        await (await held.run("MATCH (e:Entity {user_id: $me}) SET e.mentions = e.mentions", me=me)).consume()
        relations = "MATCH (:Entity {user_id: $me})-[r]->(:Entity) SET r.strength = r.strength"
        await (await held.run(relations, me=me)).consume()
        yield


async def until_waiting(engine: Engine, writers: int) -> None:
    """Until so many transactions of the graph wait for a lock."""
    statement = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS waiting"
    while (await engine.neo4j.read(statement, row=int))[0] < writers:  # noqa: ASYNC110 (the waiting are in the server)
        await asyncio.sleep(0.05)


@pytest.mark.ledger("N23", "M04")
@pytest.mark.parametrize("withdrawn_first", [True, False])
async def test_a_withdrawal_while_the_job_reads_counts_each_mention_once(
    engine: Engine, memory: Memory, user: User, withdrawn_first: bool
) -> None:
    """Both end the mentions and the evidence of the text that was changed, whoever comes first."""
    record = await say(memory, user.user_id, "Dave Kowalski lives in Oslo.")
    await say(memory, user.user_id, "Dave Kowalski bought a boat.", "Ines Moreira rowed it.")
    text = "Ines Moreira lives in Oslo."
    await reword(memory, user.user_id, await item_of(memory, "Oslo"), text, correction=True)
    withdrawal = memory.retractions.retract(RetractionSubject("record", str(record)))
    writers = [withdrawal, job(engine)] if withdrawn_first else [job(engine), withdrawal]
    tasks = []
    async with all_held(engine, memory):
        for writer in writers:
            tasks.append(asyncio.create_task(writer))
            await until_waiting(engine, len(tasks))
    await asyncio.gather(*tasks)
    found = {one.name: one.mentions for one in await memory.entities.list(limit=500)}
    assert found == {"Dave Kowalski": 1, "Ines Moreira": 1, "Bob Harlan": 1}
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05", "X03")
async def test_a_relation_that_no_text_states_any_more_is_over(engine: Engine, memory: Memory, user: User) -> None:
    """What it had ended holds again; why it was believed is still told of the time before."""
    me = user.user_id
    await say(memory, me, "Dave Kowalski lives in Oslo.", year=2020)
    await say(memory, me, "Dave Kowalski lives in Bergen.", "Dave Kowalski bought a boat.", year=2022)
    assert await related(memory, "Dave Kowalski") == {("LIVES_IN", "Bergen")}
    dave, before = await entity(memory, "Dave Kowalski"), engine.parts.clock.now()
    [lives] = await memory.entities.relations(dave.entity_id)
    why = await memory.entities.why(lives.relation_id)
    item = await item_of(memory, "Bergen")
    await reword(memory, me, item, "Dave Kowalski lives in Narvik.", correction=True)
    await job(engine)
    assert await related(memory, "Dave Kowalski") == {("LIVES_IN", "Narvik")}
    with pytest.raises(NotFound):
        await memory.entities.why(lives.relation_id)
    [said] = why.evidence
    then = await memory.entities.why(lives.relation_id, Moment(known_at=before))
    assert said.text == "Dave Kowalski lives in Bergen."
    assert then == replace(why, evidence=(replace(said, text=None),)), "the item reads otherwise now"
    assert await related(memory, "Dave Kowalski", Moment(known_at=before)) == {("LIVES_IN", "Bergen")}
    await reword(memory, me, item, "Dave Kowalski came by.", correction=True)
    await job(engine)
    assert await related(memory, "Dave Kowalski") == {("LIVES_IN", "Oslo")}, "nothing has ended it"
    await reword(memory, me, item, "Dave Kowalski lives in Bergen.", correction=True)
    await job(engine)
    assert await related(memory, "Dave Kowalski") == {("LIVES_IN", "Bergen")}
    assert ("LIVES_IN", "Oslo") in await related(memory, "Dave Kowalski", ended=True)
    assert (await memory.entities.why(lives.relation_id)).evidence[0].item_id == item
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05", "X03")
@pytest.mark.parametrize("changed", ["Oslo", "Bergen", "Narvik"])
async def test_a_relation_that_a_text_states_again_ends_where_it_had_ended(
    engine: Engine, memory: Memory, user: User, changed: str
) -> None:
    """Also the first of several, and one in their middle: both clocks show the same again."""
    towns = ("Oslo", "Bergen", "Narvik")
    for year, town in enumerate(towns, 2020):
        await say(memory, user.user_id, f"Dave Kowalski lives in {town}.", year=year)
    dave = (await entity(memory, "Dave Kowalski")).entity_id

    async def homes(moment: Moment = NOW) -> dict[str, str | None]:
        found = await memory.entities.relations(dave, moment, ended=True)
        return {one.other_name: one.until for one in found}

    before = await homes()
    assert before == {"Oslo": "2021-05-01", "Bergen": "2022-05-01", "Narvik": None}
    item = await item_of(memory, changed)
    for text in ("Dave Kowalski came by.", f"Dave Kowalski lives in {changed}."):
        await reword(memory, user.user_id, item, text, correction=True)
        await job(engine)
        assert await homes() == await homes(Moment(known_at=engine.parts.clock.now()))
        assert (changed in await homes()) == (changed in text)
    assert await homes() == before
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05", "X03")
async def test_what_is_left_of_a_relation_was_over_before(engine: Engine, memory: Memory, user: User) -> None:
    """An older text still states it: what the one that was changed had ended holds again."""
    for year, town in ((2020, "Oslo"), (2022, "Bergen"), (2023, "Oslo")):
        record = await say(memory, user.user_id, f"Dave Kowalski lives in {town}.", year=year)
    found = await memory.entities.relations((await entity(memory, "Dave Kowalski")).entity_id)
    [oslo] = [one for one in found if one.other_name == "Oslo"]
    [given] = [one for one in (await memory.entities.why(oslo.relation_id)).evidence if one.record_id == record]
    assert given.item_id is not None
    for text, home in (("It rained.", "Bergen"), ("Dave Kowalski lives in Oslo.", "Oslo")):
        await reword(memory, user.user_id, given.item_id, text, correction=True)
        await job(engine)
        assert await related(memory, "Dave Kowalski") == {("LIVES_IN", home)}
        then = Moment(known_at=engine.parts.clock.now())
        assert await related(memory, "Dave Kowalski", then) == {("LIVES_IN", home)}
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05")
@pytest.mark.parametrize("reworded", [True, False])
async def test_what_a_text_says_is_over_does_not_come_back_with_what_had_ended_it(
    engine: Engine, memory: Memory, user: User, reworded: bool
) -> None:
    """Neither when that is reworded, nor withdrawn, nor when the withdrawal is undone."""
    for year, text in ((2020, "lives in Oslo"), (2021, "lives in Bergen"), (2022, "no longer lives in Oslo")):
        record = await say(memory, user.user_id, f"Dave Kowalski {text}.", year=year)
        if year == 2021:
            bergen = RetractionSubject("record", str(record))
    dave = (await entity(memory, "Dave Kowalski")).entity_id

    async def oslo(moment: Moment = NOW) -> str | None:
        found = await memory.entities.relations(dave, moment, ended=True)
        return next(one.until for one in found if one.other_name == "Oslo")

    before = Moment(known_at=engine.parts.clock.now())
    assert await oslo() == await oslo(before) == "2022-05-01"
    if reworded:
        await reword(memory, user.user_id, await item_of(memory, "Bergen"), "It rained.", correction=True)
        await job(engine)
    else:
        withdrawn = await memory.retractions.retract(bergen)
        assert await oslo() == "2022-05-01"
        await memory.retractions.undo(withdrawn.retraction_id)
    assert await oslo() == await oslo(before) == "2022-05-01"
    assert ("LIVES_IN", "Oslo") not in await related(memory, "Dave Kowalski")
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05")
async def test_a_relation_that_was_over_begins_anew(engine: Engine, memory: Memory, user: User) -> None:
    await say(memory, user.user_id, "Dave Kowalski has worked at Harlan Joinery since 2010.", year=2022)
    dave = (await entity(memory, "Dave Kowalski")).entity_id
    [works] = await memory.entities.relations(dave)
    assert works.since == "2010"
    item = await item_of(memory, "Dave Kowalski")
    await reword(memory, user.user_id, item, "Dave Kowalski came by.", correction=True)
    await job(engine)
    await say(memory, user.user_id, "Dave Kowalski works at Harlan Joinery.", year=2019)
    [works] = await memory.entities.relations(dave)
    assert works.since is None, "no text says since when any more"


@pytest.mark.ledger("N23", "M04")
async def test_of_a_merged_entity_the_words_of_all_its_names_are_counted(
    engine: Engine, memory: Memory, user: User
) -> None:
    """The text of one is changed to the other's name: what is left of the first is nothing, of both the two records."""
    for text in (DAVE, INES):
        await say(memory, user.user_id, text)
    dave, ines = await entity(memory, "Dave Kowalski"), await entity(memory, "Ines Moreira")
    item = await item_of(memory, "Dave Kowalski")
    merge = await memory.entities.merge(dave.entity_id, ines.entity_id, "the same")
    for text in (DAVE, "Later I met Ines Moreira in Faro."):
        await reword(memory, user.user_id, item, text, correction=True)
        await job(engine)
        both = await memory.entities.get(dave.entity_id)
        assert both.mentioned is not None and (both.mentions, both.mentioned.times) == (2, 2)
        assert both.mentioned.context in (DAVE, INES, text) and both.mentioned.first_at is not None
    await memory.entities.undo_merge(merge.merge_id)
    left = await entity(memory, "Ines Moreira")
    assert left.mentioned is not None and left.mentioned.times == 2


@pytest.mark.ledger("N23", "F07")
async def test_a_fact_that_ends_or_changes_later_is_read_as_it_is_today(
    engine: Engine, memory: Memory, user: User
) -> None:
    [fact] = await memory.facts.write(WrittenFact("Dave Kowalski lives in Oslo."), node_id=user.user_id)
    later = datetime.now(UTC) + timedelta(days=30)
    for fields, when, oslo in (
        ({"content": "Dave Kowalski lives in Narvik."}, {"effective_at": later}, True),
        ({"ended": True}, {}, False),
        ({"ended": False}, {}, True),
    ):
        await memory.history.change(Change("item", fact.fact_id, fields, user.user_id, **when))
        await job(engine)
        found = await names(memory)
        assert (oslo == ("Oslo" in found)) and "Narvik" not in found, fields
    assert await related(memory, "Dave Kowalski") == {("LIVES_IN", "Oslo")}


@pytest.mark.ledger("N23", "F07")
async def test_a_turn_that_ended_mentions_nobody_and_reopened_it_does(
    engine: Engine, memory: Memory, user: User
) -> None:
    await say(memory, user.user_id, DAVE, "Ines Moreira called.")
    item = await item_of(memory, "Dave Kowalski")
    for ended in (True, False):
        await memory.history.change(Change("item", item, {"ended": ended}, user.user_id))
        await job(engine)
        assert ("Dave Kowalski" in await names(memory)) is not ended and "Ines Moreira" in await names(memory)
    later = datetime.now(UTC) + timedelta(days=30)
    await reword(memory, user.user_id, item, "Nobody came.", effective_at=later)
    await job(engine)
    assert "Dave Kowalski" in await names(memory), "the text of today still says it"
    rows = {text: keys for text, keys, _ in await rows_of(engine, memory, user.user_id)}
    assert "person:dave-kowalski" in rows[DAVE]


@pytest.mark.ledger("N23", "N16")
async def test_a_change_while_the_record_is_read_is_not_lost(
    engine: Engine, memory: Memory, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(memory, user.user_id, DAVE)
    item = await item_of(memory, "Dave Kowalski")
    entities, read = engine.parts[Ingest].entities, type(engine.parts[Ingest].entities).spoken

    async def interrupted(*given: Any, **more: Any) -> Any:
        monkeypatch.undo()
        spoken = await read(entities, *given, **more)
        await reword(memory, user.user_id, item, "I met Rui Tavares in Porto.", correction=True)
        return spoken

    monkeypatch.setattr(type(entities), "spoken", lambda _, *given, **more: interrupted(*given, **more))
    await reword(memory, user.user_id, item, INES, correction=True)  # its record is read again at once
    await job(engine)
    assert {"Rui Tavares", "Porto"} <= await names(memory)
    assert not {"Ines Moreira", "Dave Kowalski"} & await names(memory)
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "M05", "A07")
async def test_what_a_model_found_in_other_texts_stays(reads: Engine, user: User, server: ModelServer) -> None:
    """Also when its answers are no longer kept; nothing is asked again."""
    memory, me = reads.memory(user.user_id), user.user_id
    server.reply = lambda _: READ
    texts = (
        "Elli came by, in Duluth; she has had it for years.",
        "Ellen Harlan takes the Blue Heron to the lake.",
        DAVE,
    )
    turns = tuple(Turn("Bob", text) for text in texts)
    await memory.records.remember(Conversation("c", turns, started_at=WHEN), node_id=me)
    ellen, asked = await entity(memory, "Ellen Harlan"), len(server.requests)
    found = await memory.entities.relations(ellen.entity_id)
    assert {one.relation_type for one in found} == {"OWNS", "LIVES_IN"}
    dave, boat = await item_of(memory, "Dave Kowalski"), await item_of(memory, "Blue Heron")
    await reword(memory, me, dave, INES, correction=True)
    await job(reads)
    assert "Ines Moreira" in await names(memory) and "Dave Kowalski" not in await names(memory)
    assert (await entity(memory, "Ellen Harlan")).latest == ellen.latest and ellen.latest[0].role == "assignee"
    assert await memory.entities.relations(ellen.entity_id) == found
    # the text that it had read itself, and back
    await reword(memory, me, boat, "Ellen Harlan takes it to the lake.", correction=True)
    await job(reads)
    assert "Blue Heron" not in await names(memory)
    assert [one.relation_type for one in await memory.entities.relations(ellen.entity_id)] == ["LIVES_IN"]
    await reword(memory, me, boat, texts[1], correction=True)
    await job(reads)
    assert (await entity(memory, "Blue Heron")).latest[0].role == "component"
    assert {(one.relation_type, one.since) for one in await memory.entities.relations(ellen.entity_id)} == {
        (one.relation_type, one.since) for one in found
    }
    assert len(server.requests) == asked
    await untroubled(reads, user)


@pytest.mark.ledger("N23", "F07")
async def test_a_new_version_mentions_what_its_passages_say_that_are_shown(
    engine: Engine, memory: Memory, user: User
) -> None:
    """One was changed by hand, one was ended: before any job has run, and after it."""
    parts = [f"# {number}\n\n{text}" for number, text in enumerate((DAVE, "I met Rui Tavares.", "It rained."))]

    async def store() -> UUID:
        text = "\n\n".join(parts)
        report = await memory.records.remember_text("Diary", text, source_id="d", node_id=user.user_id)
        return report.documents[0].document_id

    async def found() -> set[str]:
        return {one.name for one in await memory.entities.list(everything=True)}

    dave, rui, _ = await memory.documents.chunks(await store())
    assert {"Dave Kowalski", "Rui Tavares"} <= await found()
    await reword(memory, user.user_id, dave.item_id, INES)
    await memory.history.change(Change("item", rui.item_id, {"ended": True}, user.user_id))
    for town in ("Faro", "Tavira"):
        parts[2] = f"# 2\n\nI met Teresa Vang in {town}."
        await store()
        for _ in range(2):
            assert {"Ines Moreira", "Teresa Vang", town} <= await found()
            assert not {"Dave Kowalski", "Rui Tavares"} & await found()
            await job(engine)
    assert "Faro" not in await found()
    await untroubled(engine, user)


@pytest.mark.ledger("N23", "X01")
async def test_a_persona_changes_where_it_may_write(engine: Engine, memory: Memory, user: User) -> None:
    here = (await memory.nodes.provision(NewNode(user.user_id, "Boat"))).node_id
    myself = await memory.nodes.provision(NewNode(user.user_id, "Iris", "persona"))
    given = await memory.grants.give(NewGrant(here, "persona", myself.node_id, mode="read_write"))
    await say(memory, here, DAVE)
    item = await item_of(memory, "Dave Kowalski")
    persona = engine.memory_as(Principal("persona", myself.node_id, user.user_id))
    await reword(persona, here, item, INES, correction=True)
    await job(engine)
    assert "Ines Moreira" in await names(memory) and "Ines Moreira" in await names(persona)
    assert not {"Dave Kowalski"} & (await names(memory) | await names(persona))
    await memory.grants.revoke(given.grant_id)
    with pytest.raises(NotFound):
        await reword(persona, here, item, DAVE, correction=True)


async def about(engine: Engine, fact_id: UUID) -> set[str]:
    """Whom the graph says a fact to be about."""
    found = await engine.neo4j.read(
        "MATCH (:Fact {fact_id: $fact})-[:ABOUT]->(e:Entity) RETURN e.name AS name", row=str, fact=str(fact_id)
    )
    return set(found)


@pytest.mark.ledger("N23", "A05")
async def test_a_fact_is_about_whom_its_text_names_now(engine: Engine, memory: Memory, user: User) -> None:
    [fact] = await memory.facts.write(WrittenFact("Dave Kowalski met Ellen Harlan in Porto."))
    assert await about(engine, fact.fact_id) == {"Dave Kowalski", "Ellen Harlan", "Porto"}
    for text, named in (
        ("Dave Kowalski met Ines Moreira in Porto.", {"Dave Kowalski", "Ines Moreira", "Porto"}),
        ("Nobody came.", {"Dave Kowalski"}),  # it stays a fact about its subject
        ("Ellen Harlan met Dave Kowalski.", {"Dave Kowalski", "Ellen Harlan"}),
    ):
        await reword(memory, user.user_id, fact.fact_id, text, correction=True)
        gone = await about(engine, fact.fact_id) - named
        await job(engine)
        assert await about(engine, fact.fact_id) == named, gone
    await untroubled(engine, user)

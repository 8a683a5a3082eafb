"""Facts that the user states, without a model: they are found, end what they replace, and are nodes of the graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, get_args
from uuid import uuid4

import httpx
import pytest

from engine.domain.clock import Moment
from engine.domain.fact import Fact, FactFilter, FactType, WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

pytestmark = pytest.mark.usefixtures("few_nodes")
BEFORE = datetime(2020, 3, 1, tzinfo=UTC)


async def write(memory: Memory, text: str, *about: str, **where: Any) -> tuple[Fact, ...]:
    return await memory.facts.write(WrittenFact(text, about, at=where.pop("at", None)), **where)


async def found(memory: Memory, question: str, moment: Moment | None = None) -> list[str]:
    request = SearchRequest(question, limit=10, widen="always", **({"moment": moment} if moment else {}))
    return [hit.content for hit in (await memory.search(request)).hits]


@pytest.mark.ledger("L03", "L05", "A03", "A04")
async def test_a_newer_fact_ends_the_older_one(engine: Engine, memory: Memory) -> None:
    [berlin] = await write(memory, "Dave lives in Berlin.", at=BEFORE)
    galway, ended = await write(memory, "Dave lives in Galway.")
    assert (ended.fact_id, ended.status, galway.supersedes) == (berlin.fact_id, "superseded", berlin.fact_id)
    assert ended.valid_to == galway.valid_from
    assert await found(memory, "Where does Dave live?") == ["Dave lives in Galway."]
    then = Moment(as_of=BEFORE + timedelta(days=10))
    assert await found(memory, "Where does Dave live?", then) == ["Dave lives in Berlin."]
    again, _ = await write(memory, "Dave lives in Galway.")
    assert (again.fact_id, again.confirmations) == (galway.fact_id, 1)
    [entity] = await memory.entities.list(name="dave")
    texts = {one.text: one.status for one in await memory.entities.facts(entity.entity_id, ended=True)}
    assert texts == {"Dave lives in Galway.": "live", "Dave lives in Berlin.": "superseded"}
    nodes = {galway.node_id}
    assert [one for one in await engine.doctor.examine(read_files=100) if one.node_id in nodes] == []


@pytest.mark.ledger("L03", "A03", "A04")
@pytest.mark.parametrize("later", ["Dave works at Initech.", "Dave no longer works at Globex."])
async def test_an_ended_fact_that_is_said_again_of_its_time_is_confirmed(
    engine: Engine, memory: Memory, later: str
) -> None:
    """Also once it was withdrawn: the record that said it again takes its place."""
    [lyon] = await write(memory, "Dave works at Globex.", at=BEFORE)
    await write(memory, later, at=BEFORE + timedelta(days=400))
    until, times = (await employers(memory, ended=True))["Globex"]
    head, again = await write(memory, "Dave works at Globex.", at=BEFORE + timedelta(days=100))
    assert (head.text, again.fact_id, again.confirmations) == (later, lyon.fact_id, 1)
    assert again.last_confirmed_at == BEFORE + timedelta(days=100) and len(again.confirmed_by) == 1
    assert (again.valid_from, again.valid_to) == (BEFORE, BEFORE + timedelta(days=400))
    assert (await employers(memory, ended=True))["Globex"] == (until, times + 1)
    then = Moment(as_of=BEFORE + timedelta(days=200))
    assert await found(memory, "Where does Dave work?", then) == ["Dave works at Globex."]
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []
    mistake = await memory.retractions.retract(RetractionSubject("record", str(lyon.record_id)))
    line = await memory.facts.chain(head.fact_id)
    assert [one.status for one in line] == ["live", again.status, "withdrawn"]
    assert await found(memory, "Where does Dave work?", then) == ["Dave works at Globex."]
    await memory.retractions.undo(mistake.retraction_id)
    assert (await memory.facts.chain(head.fact_id))[1].confirmations == 1
    await memory.retractions.retract(RetractionSubject("record", str(again.confirmed_by[0])))
    assert (await memory.facts.chain(head.fact_id))[1].confirmations == 0
    assert (await employers(memory, ended=True))["Globex"] == (until, times)


@pytest.mark.ledger("L03", "A03", "A04")
async def test_what_is_said_again_of_another_time_follows(memory: Memory) -> None:
    for days, town in ((0, "Lyon"), (400, "Porto"), (500, "Lyon"), (450, "Porto"), (300, "Porto")):
        line = await write(memory, f"Dave lives in {town}.", at=BEFORE + timedelta(days=days))
    texts = [(one.text.split()[-1], one.confirmations) for one in line]
    assert texts == [("Lyon.", 0), ("Porto.", 1), ("Porto.", 0), ("Lyon.", 0)]


@pytest.mark.ledger("A03", "A09", "X03")
@pytest.mark.parametrize("kind", ["fact", "record"])
async def test_what_a_withdrawn_fact_had_ended_holds_again(memory: Memory, kind: Literal["fact", "record"]) -> None:
    """Also what it had denied; and it is over again when the fact comes back."""
    first = Conversation(str(uuid4()), (Turn("Bob", "Dave lives in Galway.", BEFORE),))
    await memory.records.remember(first, node_id=memory.principal.user_id)
    for text in ("Dave lives in Berlin.", "Dave no longer lives in Galway."):
        fact, *_ = await write(memory, text, at=BEFORE + timedelta(days=400))
        until, times = await galway(memory)
        of = RetractionSubject(kind, str(fact.fact_id if kind == "fact" else fact.record_id))
        gone = await memory.retractions.retract(of)
        assert await galway(memory) == (None, 1)
        await memory.retractions.undo(gone.retraction_id)
        assert until == "2021-04-05" and await galway(memory) == (until, times)
        await memory.retractions.retract(of)


async def galway(memory: Memory) -> tuple[str | None, int]:
    """Until when Dave lives there, and how many records state it."""
    [dave] = await memory.entities.list(name="dave")
    found = await memory.entities.relations(dave.entity_id, ended=True)
    return next((one.until, one.strength) for one in found if one.other_name == "Galway")


@pytest.mark.ledger("L03", "A05")
async def test_facts_meet_by_whom_they_are_about_not_by_the_name(memory: Memory) -> None:
    """One of two names, and two of one name."""
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    said = "Dave Kowalski called; Dave is at home. Teresa Vang came with Dave Kowalski."
    await memory.records.remember(Conversation("c1", (Turn("Bob", said, BEFORE),)), node_id=node.node_id)
    await write(memory, "Dave Kowalski lives in Berlin.", at=BEFORE)
    galway, *before = await write(memory, "Dave lives in Galway.", "Dave", at=BEFORE + timedelta(days=10))
    assert [one.text for one in before] == ["Dave Kowalski lives in Berlin."]
    mine, *before = await write(memory, "I live in Duluth.", at=BEFORE)
    assert (mine.status, before) == ("live", [])
    again, *before = await write(memory, "Bob Harlan lives in Viroqua.")
    assert [one.fact_id for one in before] == [mine.fact_id]
    other = await memory.facts.write(WrittenFact("Dave Lindqvist lives in Rome.", ("Dave Lindqvist",)))
    assert len(other) == 1 and galway.status == "live"


@pytest.mark.ledger("L01")
async def test_a_fact_has_a_type_a_confidence_and_a_date_of_its_own(memory: Memory) -> None:
    dated = datetime(2021, 6, 5, tzinfo=UTC)
    people = {"Agnes": "fact", "Bruno": "preference", "Clara": "event", "Doris": "profile", "Edgar": "system"}
    assert set(people.values()) == set(get_args(FactType))
    for name, kind in people.items():
        await memory.facts.write(WrittenFact(f"{name} plays the lute.", fact_type=kind, at=dated, confidence=0.6))
    hits = (await memory.search(SearchRequest("Who plays the lute?", limit=10, kinds=("fact",)))).hits
    assert {hit.content.split()[0]: (hit.section, hit.occurred_at) for hit in hits} == {
        name: (kind, dated) for name, kind in people.items()
    }
    assert {group.name: group.facts for group in await memory.profiles.user("type")} == dict.fromkeys(
        people.values(), 1
    )
    state = await memory.history.state("item", hits[0].item_id, node_id=hits[0].node_id)
    assert state.fields["confidence"] == 0.6 and (await memory.facts.list())[0].known_from > dated


@pytest.mark.ledger("A05", "L05")
async def test_whom_it_is_about_is_given_or_begins_the_text(memory: Memory) -> None:
    cases = {
        ("Ellen's birthday is on March 3.", ()): ["Ellen"],
        ("My favourite colour is green.", ()): ["user"],
        ("The boat is red.", ()): ["boat"],
        ("The boat is red.", ("Dave",)): ["Dave"],
    }
    for (text, about), subjects in cases.items():
        [fact] = await write(memory, text, *about, privacy="private" if about else "org")
        assert fact.subjects == subjects, text
    assert len(await memory.facts.list(FactFilter(about="Dave"))) == 1


@pytest.mark.ledger("X06", "X04")
async def test_it_is_withdrawn_and_replayed_as_any_fact(engine: Engine, memory: Memory) -> None:
    await write(memory, "Dave works at Globex.")
    [galway] = await write(memory, "Dave lives in Galway.", at=BEFORE)
    replay = await memory.replays.build((await memory.replays.begin()).replay_id)
    assert (replay.state, replay.counts.differing) == ("built", 0)
    await memory.replays.swap(replay.replay_id)
    assert await found(memory, "Where does Dave live?")
    await memory.retractions.retract(RetractionSubject("fact", str(galway.fact_id)), "a mistake")
    assert "Dave lives in Galway." not in await found(memory, "Where does Dave live?")
    assert (await memory.facts.chain(galway.fact_id))[0].status == "withdrawn"


async def employers(memory: Memory, *, ended: bool = False) -> dict[str, tuple[str | None, int]]:
    """By the employers that relations name: the end of each relation, and how many records state it."""
    [dave] = await memory.entities.list(name="dave")
    found = await memory.entities.relations(dave.entity_id, ended=ended)
    return {one.other_name: (one.until, one.strength) for one in found if one.relation_type == "WORKS_AT"}


@pytest.mark.ledger("F09", "A09")
async def test_a_fact_is_evidence_of_a_relation_which_ends_with_it(engine: Engine, memory: Memory) -> None:
    [globex] = await write(memory, "Dave works at Globex.", at=BEFORE)
    [dave] = await memory.entities.list(name="dave")
    [works] = await memory.entities.relations(dave.entity_id)
    [evidence] = (await memory.entities.why(works.relation_id)).evidence
    assert (evidence.fact_id, evidence.item_id, evidence.span) == (globex.fact_id, globex.fact_id, "0-20")
    initech, _ = await write(memory, "Dave works at Initech.", at=BEFORE + timedelta(days=400))
    assert await employers(memory) == {"Initech": (None, 1)}
    past = await employers(memory, ended=True)
    assert past["Globex"] == ((BEFORE + timedelta(days=400)).date().isoformat(), 1)
    await write(memory, "Dave works at Initech.")
    assert await employers(memory) == {"Initech": (None, 2)}
    mistake = await memory.retractions.retract(RetractionSubject("record", str(initech.record_id)))
    assert await employers(memory) == {"Initech": (None, 1)}
    await memory.retractions.undo(mistake.retraction_id)
    assert await employers(memory) == {"Initech": (None, 2)}
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []


@pytest.mark.ledger("A09")
async def test_relations_are_read_as_facts_that_are_inferred(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    turns = tuple(Turn("Bob", text, BEFORE) for text in ("Dave works at Globex.", "Teresa Vang lives in Galway."))
    await memory.records.remember(Conversation("c1", turns), node_id=node.node_id)
    [globex] = await memory.entities.list(name="globex")
    [inferred] = await memory.entities.facts(globex.entity_id)
    assert (inferred.fact_id, inferred.status, inferred.text) == (None, "live", "Globex employs Dave.")
    assert (await memory.entities.why(inferred.relation_id)).reads == "works at"  # type: ignore[arg-type]
    [fact] = await write(memory, "Dave works at Globex.")
    assert [(one.fact_id, one.relation_id) for one in await memory.entities.facts(globex.entity_id)] == [
        (fact.fact_id, None)
    ]
    later = Turn("Bob", "Teresa Vang lives in Lunenburg.", BEFORE + timedelta(days=30))
    await memory.records.remember(Conversation("c2", (later,)), node_id=node.node_id)
    [teresa] = await memory.entities.list(name="teresa")
    now = await memory.entities.facts(teresa.entity_id)
    assert [one.text for one in now] == ["Teresa Vang lives in Lunenburg."]
    over = {one.text: one for one in await memory.entities.facts(teresa.entity_id, ended=True)}
    assert over["Teresa Vang lives in Galway."].status == "superseded"
    with pytest.raises(NotFound):
        await memory.entities.facts(uuid4())


@pytest.mark.ledger("F09", "X06")
async def test_a_withdrawn_fact_supports_no_relation(engine: Engine, memory: Memory) -> None:
    await write(memory, "Dave works at Globex.", at=BEFORE)
    initech, _ = await write(memory, "Dave works at Initech.", at=BEFORE + timedelta(days=400))
    before = await employers(memory, ended=True)
    mistake = await memory.retractions.retract(RetractionSubject("fact", str(initech.fact_id)))
    assert await employers(memory, ended=True) == {"Globex": (None, 1)}
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []
    await memory.retractions.undo(mistake.retraction_id)
    assert await employers(memory, ended=True) == before


async def test_where_it_lies_and_who_reads_it(engine: Engine, memory: Memory) -> None:
    family = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    [fact] = await write(memory, "Dave lives in Galway.", node_id=family.node_id, privacy="private")
    assert fact.node_id == family.node_id
    with pytest.raises(NotFound):
        await write(memory, "Dave lives in Rome.", node_id=uuid4())
    for text in ("", "  ", "x" * 2001, "a\x00b", "a\ud800b"):
        with pytest.raises(InvalidInput):
            await write(memory, text)
    for wrong in ({"fact_type": "rumour"}, {"confidence": 1.5}, {"at": datetime(2020, 1, 1)}, {"about": ("x",) * 25}):
        with pytest.raises(InvalidInput):
            WrittenFact("Dave lives in Galway.", **wrong)  # type: ignore[arg-type]


@pytest.mark.ledger("N32", "U02", "U05")
async def test_the_doors(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path, key = f"/v1/users/{user.user_id}/facts", {"Idempotency-Key": "k1"}
        body = {"text": "Dave lives in Berlin.", "at": "2020-03-01T00:00:00Z"}
        first = await door.post(path, json=body, headers=key)
        again = await door.post(path, json=body, headers=key)
        assert first.status_code == 201 and again.json() == first.json()
        for wrong in ({"text": ""}, {"text": "x", "fact_type": "rumour"}, {"text": "x", "about": [""]}, {"said": "x"}):
            assert (await door.post(path, json=wrong)).status_code == 422, wrong
        assert (await door.post(f"/v1/users/{uuid4()}/facts", json=body)).status_code == 404
    facts = (await shell.answers("fact", "write", "Dave lives in Galway.", "--at", "2025-01-01"))["facts"]
    assert [one["status"] for one in facts] == ["live", "superseded"]
    assert "preference" in await shell.refuses("fact", "write", "Dave is tall.", "--type", "rumour")


@pytest.mark.parametrize("signs", [".", "…", "?!", "🙂", "-- ---"])
async def test_a_fact_of_signs_alone_is_refused_before_anything_is_stored(
    engine: Engine, memory: Memory, signs: str
) -> None:
    with pytest.raises(InvalidInput, match="a word or a number"):
        await memory.facts.write(WrittenFact(signs))
    assert (await memory.nodes.shell(memory.principal.user_id)).records == 0

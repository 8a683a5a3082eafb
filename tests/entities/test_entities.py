"""Entities: found in what is stored, entered in its commit, read by those who may read a record that mentions them; merged and apart."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.entity import EntitySummary
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import Conflict, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.readings import read_again

CALLED = (
    Turn("Bob", "My sister Ellen called. She and Dave Kowalski are coming for Christmas."),
    Turn("Iris", "I will remind you when Ellen arrives, Bob."),
)


async def family(memory: Memory) -> ProvisionedNode:
    return await memory.nodes.provision(NewNode(memory.principal.user_id, "Family", keywords=("sister", "christmas")))


async def named(memory: Memory, name: str) -> EntitySummary:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if one.name == name]
    return found


@pytest.mark.ledger("A06", "M04")
async def test_a_conversation_brings_its_speakers_and_whom_it_mentions(memory: Memory) -> None:
    node = await family(memory)
    report = await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    found = {one.name: one for one in await memory.entities.list(everything=True)}
    assert {"Bob Harlan", "Iris", "Ellen", "Dave Kowalski"} <= found.keys(), "the user speaks as Bob"
    assert found["Ellen"].mentions == 1 and found["Ellen"].nodes == 1
    ellen = await memory.entities.get(found["Ellen"].entity_id)
    assert [(one.node_id, one.path[-1], one.mentions) for one in ellen.anchors] == [(node.node_id, "Family", 1)]
    [mention] = ellen.latest
    assert (mention.record_id, mention.role, mention.count, mention.names) == (
        report.records[0].record_id,
        "mention",
        2,
        ("ellen",),
    )
    item, _, span = mention.spans[0].partition(":")
    held = await memory.history.state("item", UUID(item), node_id=node.node_id)
    start, end = map(int, span.split("-"))
    assert held.fields is not None and held.fields["content"][start:end] == "Ellen"


async def test_the_first_page_of_many_is_that_of_all(memory: Memory) -> None:
    """Not all are looked at for it; one that was merged counts for both all the same."""
    first, last = (
        "Alma Berit Carl Dora Emil Frida Gerd".split(),
        "Aker Brandt Celle Dorn Falk Gimle Hamar Jolster Krone".split(),
    )
    last += "Lindqvist Moberg Nyborg Ostrander Prill Quast Rudin Sandvik Thorsen".split()
    everybody = [f"{one} {other}" for one in first for other in last]
    for name, people in (("many", everybody), ("some", [*everybody[40:44], "Zora Quill"])):
        turns = tuple(Turn("Bob", f"Yesterday I met {person} at the harbour.") for person in people)
        await memory.records.remember(Conversation(name, turns))
    other, zora = await named(memory, everybody[77]), await named(memory, "Zora Quill")
    await memory.entities.merge(other.entity_id, zora.entity_id, "a maiden name")
    whole = await memory.entities.list(limit=500, everything=True)
    assert len(whole) > 120 and {one.name for one in whole if one.mentions == 2} >= {*everybody[40:44], everybody[77]}
    for limit in (1, 3, 8):
        assert await memory.entities.list(limit=limit, everything=True) == whole[:limit]
    second = await memory.entities.list(limit=5, after=whole[2].place, everything=True)
    assert second == whole[3:8]


@pytest.mark.ledger("M04")
async def test_the_user_mentions_an_entity_as_it_was_mentioned_last(memory: Memory, engine: Engine) -> None:
    node = await family(memory)
    days = [datetime(2024, 5, day, 18, tzinfo=UTC) for day in (8, 20)]
    told = ("My sister Ellen called.", "We visited Ellen at the lake.")
    reports = [
        await memory.records.remember(Conversation(f"c{day:%d}", (Turn("Bob", text, at=day),)), node_id=node.node_id)
        for day, text in zip(days, told, strict=True)
    ]
    ellen = await named(memory, "Ellen")
    found = await engine.neo4j.read(
        "MATCH (e:Entity {entity_id: $entity, user_id: $user}) RETURN properties(e) AS m",
        user=str(memory.principal.user_id),
        entity=str(ellen.entity_id),
    )
    [mentioned] = [row["m"] for row in found]
    assert mentioned["last_context"] == told[1] and mentioned["mentions"] == 2
    shown = (await memory.entities.get(ellen.entity_id)).mentioned
    assert shown is not None and [shown.first_at, shown.at] == days
    assert mentioned["last_record_id"] == str(reports[1].records[0].record_id)


@pytest.mark.ledger("F07")
async def test_a_name_leads_to_the_entity_that_had_it_first(memory: Memory) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    first = await named(memory, "Ellen")
    await memory.records.remember(
        Conversation("c2", (Turn("Bob", "We met ELLEN and Ellen's boss today."),)), node_id=node.node_id
    )
    assert (await named(memory, "Ellen")).entity_id == first.entity_id
    assert (await named(memory, "Ellen")).mentions == 2


async def test_writers_that_meet_make_one_entity(memory: Memory) -> None:
    node = await family(memory)
    conversations = [Conversation(f"c{n}", (Turn("Bob", f"Margaret Lindqvist wrote, number {n}."),)) for n in range(8)]
    await asyncio.gather(*(memory.records.remember(one, node_id=node.node_id) for one in conversations))
    found = [one for one in await memory.entities.list(everything=True) if "Margaret Lindqvist" in one.names]
    assert [one.mentions for one in found] == [8]


@pytest.mark.ledger("X03")
async def test_entities_are_those_that_were_known_at_the_moment(memory: Memory, engine: Engine) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    before = engine.parts.clock.now()
    await memory.records.remember(
        Conversation("c2", (Turn("Bob", "Then Margaret Lindqvist rang."),)), node_id=node.node_id
    )
    known = {one.name for one in await memory.entities.list(Moment(known_at=before), everything=True)}
    assert "Ellen" in known and "Margaret Lindqvist" not in known


@pytest.mark.ledger("X05", "M06")
async def test_a_merge_is_read_as_one_and_undone_exactly(memory: Memory) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    await memory.records.remember(
        Conversation("c2", (Turn("Bob", "We saw Elli Harlan at the lake."),)), node_id=node.node_id
    )
    apart = await memory.entities.list(everything=True)
    ellen, elli = await named(memory, "Ellen"), await named(memory, "Elli Harlan")
    merge = await memory.entities.merge(ellen.entity_id, elli.entity_id, "a nickname")
    assert (merge.entity_id, merge.merged_id) == (ellen.entity_id, elli.entity_id)
    assert (merge.entity_name, merge.merged_name) == ("Ellen", "Elli Harlan")
    one = await memory.entities.get(elli.entity_id)
    assert one.entity_id == ellen.entity_id and one.merged == (elli.entity_id,) and one.mentions == 2
    assert set(one.names) == {"Ellen", "Elli Harlan"}
    assert elli.entity_id not in {entity.entity_id for entity in await memory.entities.list(everything=True)}
    assert [merged.merge_id for merged in await memory.entities.merges()] == [merge.merge_id]
    await memory.entities.undo_merge(merge.merge_id)
    await memory.entities.undo_merge(merge.merge_id)
    assert await memory.entities.list(everything=True) == apart and await memory.entities.merges() == ()


@pytest.mark.ledger("X05")
async def test_what_cannot_be_merged(memory: Memory) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    ellen, dave, iris = [(await named(memory, name)).entity_id for name in ("Ellen", "Dave Kowalski", "Iris")]
    with pytest.raises(InvalidInput):
        await memory.entities.merge(ellen, ellen)
    with pytest.raises(NotFound):
        await memory.entities.merge(ellen, uuid4())
    await memory.entities.merge(ellen, dave)
    for first, second in ((ellen, dave), (dave, ellen), (iris, dave)):
        with pytest.raises(Conflict):
            await memory.entities.merge(first, second)


async def test_merges_in_a_circle_at_once_leave_one_that_is_read(memory: Memory) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    ids = [(await named(memory, name)).entity_id for name in ("Ellen", "Dave Kowalski", "Iris")]
    pairs = [(ids[0], ids[1]), (ids[1], ids[2]), (ids[2], ids[0])]
    done = await asyncio.gather(*(memory.entities.merge(*pair) for pair in pairs), return_exceptions=True)
    assert all(not isinstance(one, BaseException) or isinstance(one, Conflict) for one in done)
    merged = [one for one in done if not isinstance(one, BaseException)]
    assert {one.merge_id for one in merged} >= {one.merge_id for one in await memory.entities.merges()} != set()
    shown = [one.entity_id for one in await memory.entities.list(everything=True) if one.entity_id in ids]
    assert len(shown) == len(ids) - len(await memory.entities.merges()) >= 1


@pytest.mark.ledger("X05")
async def test_merges_of_merges_are_read_however_deep(memory: Memory) -> None:
    node = await family(memory)
    surnames = (
        "Ahlgren",
        "Brandt",
        "Castellano",
        "Dvorak",
        "Eriksen",
        "Fontaine",
        "Grunwald",
        "Haverford",
        "Ibarra",
        "Jankowski",
        "Kowalczyk",
    )
    names = [f"Ellen {surname}" for surname in surnames]
    for name in names:
        await memory.records.remember(Conversation(name, (Turn("Bob", f"{name} called."),)), node_id=node.node_id)
    ids = [(await named(memory, name)).entity_id for name in names]
    merges = [(await memory.entities.merge(whole, part)).merge_id for part, whole in pairwise(ids)]
    [one] = [found for found in await memory.entities.list(everything=True) if found.entity_id in ids]
    assert (one.entity_id, one.mentions) == (ids[-1], len(ids))
    assert (await memory.entities.get(ids[0])).entity_id == ids[-1]
    with pytest.raises(Conflict):
        await memory.entities.merge(ids[0], ids[-1])
    await memory.entities.undo_merge(merges[4])
    assert (await memory.entities.get(ids[0])).entity_id == ids[4]


@pytest.mark.ledger("X01")
async def test_others_meet_what_records_support_that_they_may_read(engine: Engine, memory: Memory, user: User) -> None:
    here, hidden = await family(memory), await memory.nodes.provision(NewNode(user.user_id, "Health"))
    await memory.records.remember(Conversation("c1", CALLED), node_id=here.node_id)
    private = Conversation("c2", (Turn("Bob", "Doctor Osei says that Ellen Harlan and Gail Stroud know."),))
    await memory.records.remember(private, node_id=hidden.node_id)
    secret = Conversation("c3", (Turn("Bob", "Only Vern Tamarack knows about Ellen."),))
    await memory.records.remember(secret, node_id=here.node_id, privacy="private")
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(here.node_id, "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, user.user_id))
    found = {one.name: one for one in await reader.entities.list(everything=True)}
    assert {"Ellen", "Dave Kowalski", "Bob", "Iris"} == found.keys(), "the user is called as these records call him"
    assert found["Ellen"].mentions == 1
    shown = await reader.entities.get(found["Ellen"].entity_id)
    assert shown.key is None and [one.node_id for one in shown.anchors] == [here.node_id]
    assert shown.anchors[0].path == ("Family",)
    for name in ("Gail Stroud", "Vern Tamarack"):
        with pytest.raises(NotFound):
            await reader.entities.get((await named(memory, name)).entity_id)
    with pytest.raises(NotFound):
        await reader.entities.merge(found["Ellen"].entity_id, found["Bob"].entity_id)


@pytest.mark.ledger("F08")
async def test_a_new_version_of_a_document_mentions_what_it_says_now(memory: Memory, engine: Engine) -> None:
    node = await family(memory)
    text = "The lease names Arne Gunderson.\n\n" + "The workshop is at Mill Street. " * 40
    await memory.records.remember_text("The lease", text, source_id="lease", node_id=node.node_id)
    assert (await named(memory, "Arne Gunderson")).mentions == 1
    before = engine.parts.clock.now()
    changed = text.replace("Arne Gunderson", "Teresa Vang")
    await memory.records.remember_text("The lease", changed, source_id="lease", node_id=node.node_id)
    names = {one.name for one in await memory.entities.list(everything=True)}
    assert "Teresa Vang" in names and "Arne Gunderson" not in names and "Mill Street" in names
    known = {one.name for one in await memory.entities.list(Moment(known_at=before), everything=True)}
    assert "Arne Gunderson" in known and "Teresa Vang" not in known


async def test_entities_follow_a_record_that_is_moved(memory: Memory, user: User) -> None:
    node, other = await family(memory), await memory.nodes.provision(NewNode(user.user_id, "Christmas"))
    report = await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    await memory.records.move(report.records[0].record_id, node.node_id, other.node_id)
    ellen = await memory.entities.get((await named(memory, "Ellen")).entity_id)
    assert [(one.node_id, one.mentions) for one in ellen.anchors] == [(other.node_id, 1)]


async def test_records_that_were_stored_without_entities_get_them(memory: Memory, engine: Engine) -> None:
    node = await family(memory)
    await memory.records.remember(Conversation("c1", CALLED), node_id=node.node_id)
    text = "The lease names Arne Gunderson.\n\n" + "The workshop is at Mill Street. " * 40
    await memory.records.remember_text("The lease", text, node_id=node.node_id)
    before = [
        (one.name, one.kind, one.names, one.mentions, one.nodes) for one in await memory.entities.list(everything=True)
    ]
    user_id = str(memory.principal.user_id)
    await engine.neo4j.write(
        "MATCH (e:Entity|Alias {user_id: $user_id}) DETACH DELETE e WITH DISTINCT 1 AS one"
        " MATCH (r:Record {user_id: $user_id}) REMOVE r.mentions_reader, r.mentions_revision",
        user_id=user_id,
    )
    assert await memory.entities.list(everything=True) == ()
    report = await read_again(engine, memory.principal.user_id)
    assert report["records"] >= 2
    after = [
        (one.name, one.kind, one.names, one.mentions, one.nodes) for one in await memory.entities.list(everything=True)
    ]
    assert sorted(after) == sorted(before)
    assert (await engine.derivations.run("entities")).get("records", 0) == 0


RELATED = (
    Turn("Bob", "My sister Ellen is married to Dave Kowalski."),
    Turn("Iris", "Good to know."),
    Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC since 2011."),
)


@pytest.mark.ledger("M05", "F09", "A09")
async def test_relations_are_read_both_ways_and_say_why(memory: Memory) -> None:
    node = await family(memory)
    report = await memory.records.remember(Conversation("c1", RELATED), node_id=node.node_id)
    dave = await named(memory, "Dave Kowalski")
    found = {(one.relation_type, one.other_name): one for one in await memory.entities.relations(dave.entity_id)}
    married, works = found["MARRIED_TO", "Ellen"], found["WORKS_AT", "Harlan Joinery LLC"]
    assert (works.outgoing, works.reads, works.since, works.strength) == (True, "works at", "2011", 1)
    firm = await memory.entities.relations(works.other_id)
    assert [(one.relation_id, one.outgoing, one.other_name) for one in firm] == [
        (works.relation_id, False, "Dave Kowalski")
    ]
    assert firm[0].reads != works.reads
    why = await memory.entities.why(married.relation_id)
    [evidence] = why.evidence
    assert (evidence.record_id, why.relation_type) == (report.records[0].record_id, "MARRIED_TO")
    held = await memory.history.state("item", evidence.item_id, node_id=node.node_id)
    start, end = map(int, evidence.span.split("-"))
    assert "married" in held.fields["content"][start:end]
    assert evidence.text and evidence.text in held.fields["content"] and "married" in evidence.text


@pytest.mark.ledger("M05", "A09", "X05")
@pytest.mark.ledger("U09")
async def test_entities_that_records_mention_together_are_counted_by_pairs(engine: Engine, memory: Memory) -> None:
    said = ("Nora Dunn met Walter Vang in Oslo.", "Walter Vang called Nora Dunn.", "Nora Dunn likes Bergen.")
    records = []
    for number, text in enumerate(said):
        records += (await memory.records.remember(Conversation(f"c{number}", (Turn("Ann", text),)))).records
    ids = {one.name: one.entity_id for one in await memory.entities.list(limit=50)}
    nora, walter, oslo, bergen = (ids[name] for name in ("Nora Dunn", "Walter Vang", "Oslo", "Bergen"))

    async def pairs() -> dict[frozenset[UUID], int]:
        found = await memory.entities.mentioned_together(list(ids.values()))
        assert [one.records for one in found] == sorted((one.records for one in found), reverse=True)
        return {frozenset((one.first_id, one.other_id)): one.records for one in found}

    expected = {
        frozenset(two): count
        for *two, count in ((nora, walter, 2), (nora, oslo, 1), (walter, oslo, 1), (nora, bergen, 1))
    }
    assert (await pairs()).items() >= expected.items() and frozenset((oslo, bergen)) not in await pairs()
    await memory.entities.merge(oslo, bergen)
    assert (await pairs())[frozenset((nora, oslo))] == 2
    await memory.retractions.retract(RetractionSubject("record", str(records[1].record_id)))
    assert (await pairs())[frozenset((nora, walter))] == 1
    stranger = await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Eve")
    assert await engine.memory(stranger.user_id).entities.mentioned_together([nora, walter]) == ()
    with pytest.raises(InvalidInput):
        await memory.entities.mentioned_together([uuid4() for _ in range(101)])


async def test_relations_between_entities_are_read_at_once(engine: Engine, memory: Memory) -> None:
    """Each once, between what is asked for alone; merged ones are one; now as of this moment, and only of at most 100."""
    node = await family(memory)
    await memory.records.remember(Conversation("c1", RELATED), node_id=node.node_id)
    ellen, dave, firm = [
        (await named(memory, one)).entity_id for one in ("Ellen", "Dave Kowalski", "Harlan Joinery LLC")
    ]

    async def between(*wanted: UUID, limit: int = 100) -> list[tuple[UUID, str, UUID]]:
        moment = Moment(known_at=engine.parts.clock.now())
        now, then = [await memory.entities.relations_between(wanted, at, limit=limit) for at in (NOW, moment)]
        assert now == then
        return sorted((one.source_id, one.reads, one.target_id) for one in now)

    [married] = await between(ellen, dave)
    assert {married[0], married[2]} == {ellen, dave} and married[1] == "is married to"
    works = (dave, "works at", firm)
    assert await between(ellen, dave, firm, dave, uuid4()) == sorted([married, works])
    assert await between(dave) == await between(ellen, firm) == await between() == []
    assert len(await between(ellen, dave, firm, limit=1)) == 1
    merge = await memory.entities.merge(ellen, dave)
    assert await between(ellen, dave, firm) == await between(dave, firm) == [(ellen, "works at", firm)]
    await memory.entities.undo_merge(merge.merge_id)
    [one] = [one for one in await memory.entities.relations(dave) if one.other_id == firm]
    await memory.entities.archive_relation(one.relation_id)
    assert await between(ellen, dave, firm) == [married]
    with pytest.raises(InvalidInput):
        await memory.entities.relations_between([uuid4() for _ in range(101)])


@pytest.mark.ledger("A09")
async def test_a_relation_grows_with_what_states_it_and_ends_with_it(memory: Memory, engine: Engine) -> None:
    node = await family(memory)
    text = "Dave Kowalski works at Harlan Joinery LLC.\n\n" + "The workshop is at Mill Street. " * 40
    await memory.records.remember_text("The firm", text, source_id="firm", node_id=node.node_id)
    dave = (await named(memory, "Dave Kowalski")).entity_id
    [once] = await memory.entities.relations(dave)
    await memory.records.remember(Conversation("c1", (RELATED[2],)), node_id=node.node_id)
    [twice] = await memory.entities.relations(dave)
    assert (once.strength, twice.strength) == (1, 2) and twice.confidence > once.confidence
    assert len((await memory.entities.why(twice.relation_id)).evidence) == 2
    before = engine.parts.clock.now()
    changed = text.replace("Dave Kowalski works", "Luis Ortega works")
    await memory.records.remember_text("The firm", changed, source_id="firm", node_id=node.node_id)
    [left] = await memory.entities.relations(dave)
    assert (left.relation_id, left.strength) == (once.relation_id, 1) and left.confidence < twice.confidence
    [then] = await memory.entities.relations(dave, Moment(known_at=before))
    assert then.strength == 2 and abs(then.confidence - twice.confidence) < 1e-9


@pytest.mark.ledger("A09")
async def test_what_only_one_can_be_is_ended_by_the_next(memory: Memory) -> None:
    node = await family(memory)
    for number, town in enumerate(("Galway", "Lunenburg")):
        at = datetime(2024 + number, 5, 1, tzinfo=UTC)
        turn = Turn("Bob", f"Teresa Vang lives in {town}.", at)
        await memory.records.remember(Conversation(f"c{number}", (turn,)), node_id=node.node_id)
    teresa = (await named(memory, "Teresa Vang")).entity_id
    assert [one.other_name for one in await memory.entities.relations(teresa)] == ["Lunenburg"]
    both = {one.other_name: one.until for one in await memory.entities.relations(teresa, ended=True)}
    assert both == {"Galway": "2025-05-01", "Lunenburg": None}


@pytest.mark.ledger("X01")
async def test_a_relation_is_as_strong_as_what_may_be_read_makes_it(engine: Engine, memory: Memory, user: User) -> None:
    here, hidden = await family(memory), await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await memory.records.remember(Conversation("c1", RELATED[:1]), node_id=here.node_id)
    await memory.records.remember(Conversation("c2", RELATED), node_id=hidden.node_id)
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(here.node_id, "third_party", integration.integration_id))
    reader = engine.memory_as(Principal("third_party", integration.integration_id, user.user_id))
    dave = await named(memory, "Dave Kowalski")
    mine = {one.relation_type: one for one in await memory.entities.relations(dave.entity_id)}
    seen = {one.relation_type: one for one in await reader.entities.relations(dave.entity_id)}
    assert mine.keys() > seen.keys() == {"MARRIED_TO"}
    assert (mine["MARRIED_TO"].strength, seen["MARRIED_TO"].strength) == (2, 1)
    assert len((await reader.entities.why(mine["MARRIED_TO"].relation_id)).evidence) == 1
    with pytest.raises(NotFound):
        await reader.entities.why(mine["WORKS_AT"].relation_id)


@pytest.mark.ledger("A08")
async def test_what_may_be_one_is_for_the_user_to_decide(memory: Memory) -> None:
    node = await family(memory)
    said = ("We met Dave Kowalski.", "Dave Grohl plays tonight.", "Then Dave came by.")
    for number, text in enumerate(said):
        await memory.records.remember(Conversation(f"c{number}", (Turn("Bob", text),)), node_id=node.node_id)
    pairs = await memory.entities.review()
    assert {frozenset((one.name, one.other_name)) for one in pairs} == {
        frozenset(("Dave", "Dave Kowalski")), frozenset(("Dave", "Dave Grohl"))
    }  # fmt: skip
    apart = next(one for one in pairs if "Dave Grohl" in (one.name, one.other_name))
    await memory.entities.tell_apart(apart.pair_id)
    [left] = await memory.entities.review()
    await memory.entities.merge(left.other_id, left.entity_id)
    assert await memory.entities.review() == ()
    assert await memory.entities.tell_apart(apart.pair_id) == apart, "said twice"
    with pytest.raises(NotFound):
        await memory.entities.tell_apart(left.pair_id)
